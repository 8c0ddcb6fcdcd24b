#include "ports/host/commands/c_names.hpp"

#include <algorithm>
#include <cstddef>

namespace samara::desk {
namespace {

// Of C up to C23 and of C++ up to C++23, where it is spelt without underscores in front.
constexpr std::string_view keywords =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl "
    "concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default "
    "delete "
    "do double dynamic_cast else enum explicit export extern false final float for friend goto if import inline int "
    "long "
    "module mutable namespace new noexcept not not_eq nullptr operator or or_eq override private protected public "
    "register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct "
    "switch template this thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned "
    "using "
    "virtual void volatile wchar_t while xor xor_eq";

// What GCC and Clang define as macros without being asked, in their GNU dialects, on some target.
constexpr std::string_view macros = "arm hpux i386 linux mips pic ppc sgi sparc sun unix vax";

// What the standard headers and the library's declare in the global namespace, or a linker would take for the function
// of the C library: an array of that name does not compile beside them, or takes their place.
constexpr std::string_view taken =
    "a64l abort abs aligned_alloc alloca arc4random arc4random_buf arc4random_uniform asctime assert at_quick_exit "
    "atexit atof atoi atol atoll bcmp bcopy bsearch btowc bzero calloc canonicalize clearenv clearerr clock "
    "clock_getcpuclockid clock_getres clock_gettime clock_nanosleep clock_settime close complex ctermid ctime "
    "daylight dcgettext dgettext difftime div dprintf drand48 duplocale dysize ecvt environ erand48 errno execl "
    "execle execlp execv execve execvp exit explicit_bzero fclose fcvt fd_mask fd_set fdopen feclearexcept fegetenv "
    "fegetexceptflag fegetround feholdexcept feof feraiseexcept ferror fesetenv fesetexceptflag fesetround "
    "fetestexcept feupdateenv fflush ffs ffsimax ffsl ffsll fgetc fgetpos fgets fgetwc fgetws fileno flockfile "
    "fmemopen fopen fork fprintf fputc fputs fputwc fputws fread free freelocale freopen fscanf fseek fseeko fsetpos "
    "ftell ftello ftrylockfile funlockfile fwide fwprintf fwrite fwscanf gcvt getc getchar getcwd getdelim getentropy "
    "getenv getline getloadavg getpagesize getpass getpid gets getsubopt gettext getw getwc getwchar gmtime gsignal "
    "imaginary imaxabs imaxdiv index initstate isalnum isalpha isascii isatty isblank iscntrl isdigit isgraph islower "
    "isprint ispunct isspace isupper iswalnum iswalpha iswblank iswcntrl iswctype iswdigit iswgraph iswlower iswprint "
    "iswpunct iswspace iswupper iswxdigit isxdigit jmp_buf jrand48 kill killpg l64a labs lcong48 lconv ldiv link "
    "llabs lldiv localeconv localtime longjmp lrand48 lseek main malloc math_errhandling mblen mbrlen mbrtowc mbsinit "
    "mbsnrtowcs mbsrtowcs mbstowcs mbtowc memccpy memchr memcmp memcpy memmove mempcpy memrchr memset mkdtemp mkstemp "
    "mkstemps mktemp mktime mrand48 nanosleep newlocale nrand48 offsetof on_exit open open_memstream open_wmemstream "
    "pclose perror pipe popen posix_memalign printf pselect psiginfo psignal pthread_kill pthread_mutex_lock "
    "pthread_mutex_unlock pthread_once pthread_sigmask putc putchar putenv puts putw putwc putwchar qecvt qfcvt qgcvt "
    "qsort quick_exit raise rand random rawmemchr read readlink realloc reallocarray realpath remove rename renameat "
    "rewind rindex rpmatch sa_handler sa_sigaction samara sbrk scanf seed48 select setbuf setbuffer setenv setjmp "
    "setlinebuf setlocale setstate setvbuf sigaction sigaddset sigaltstack sigblock sigdelset sigemptyset "
    "sigev_notify_attributes sigev_notify_function sigfillset siggetmask siginterrupt sigismember siglongjmp signal "
    "signgam sigpending sigprocmask sigqueue sigreturn sigsetmask sigstack sigsuspend sigtimedwait sigwait "
    "sigwaitinfo sleep snprintf sprintf srand srand48 srandom sscanf ssignal std stderr stdin stdout stpcpy stpncpy "
    "strcasecmp strcasestr strcat strchr strchrnul strcmp strcoll strcpy strcspn strdup strerror strfmon strftime "
    "strlen strncasecmp strncat strncmp strncpy strndup strnlen strpbrk strrchr strsep strsignal strspn strstr strtod "
    "strtof strtoimax strtok strtol strtold strtoll strtoq strtoul strtoull strtoumax strtouq strxfrm swprintf "
    "swscanf syscall sysconf system tempnam time timegm timelocal timer_create timer_delete timer_getoverrun "
    "timer_gettime timer_settime timespec timespec_get timezone tm tmpfile tmpnam toascii tolower toupper towctrans "
    "towlower towupper tzname tzset u_char u_int u_long u_short uint ulong ungetc ungetwc unlink unsetenv uselocale "
    "ushort va_arg va_copy va_end va_list va_start valloc vdprintf vfork vfprintf vfscanf vfwprintf vfwscanf vprintf "
    "vscanf vsnprintf vsprintf vsscanf vswprintf vswscanf vwprintf vwscanf wait wcpcpy wcpncpy wcrtomb wcscasecmp "
    "wcscat wcschr wcscmp wcscoll wcscpy wcscspn wcsdup wcsftime wcslen wcsncasecmp wcsncat wcsncmp wcsncpy wcsnlen "
    "wcsnrtombs wcspbrk wcsrchr wcsrtombs wcsspn wcsstr wcstod wcstof wcstoimax wcstok wcstol wcstold wcstoll "
    "wcstombs wcstoul wcstoull wcstoumax wcswidth wcsxfrm wctob wctomb wctrans wctype wmemchr wmemcmp wmemcpy "
    "wmemmove wmemset wprintf write wscanf";

// Constants of theirs, errors among them, beside the families below.
constexpr std::string_view constants =
    "BIG_ENDIAN BSD BUFSIZ BYTE_ORDER CHAR_BIT DECIMAL_DIG E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EADV EAFNOSUPPORT "
    "EAGAIN EALREADY EBADE EBADF EBADFD EBADMSG EBADR EBADRQC EBADSLT EBFONT EBUSY ECANCELED ECHILD ECHRNG ECOMM "
    "ECONNABORTED ECONNREFUSED ECONNRESET EDEADLK EDEADLOCK EDESTADDRREQ EDOM EDOTDOT EDQUOT EEXIST EFAULT EFBIG "
    "EHOSTDOWN EHOSTUNREACH EHWPOISON EIDRM EILSEQ EINPROGRESS EINTR EINVAL EIO EISCONN EISDIR EISNAM EKEYEXPIRED "
    "EKEYREJECTED EKEYREVOKED EL2HLT EL2NSYNC EL3HLT EL3RST ELIBACC ELIBBAD ELIBEXEC ELIBMAX ELIBSCN ELNRNG ELOOP "
    "EMEDIUMTYPE EMFILE EMLINK EMSGSIZE EMULTIHOP ENAMETOOLONG ENAVAIL ENETDOWN ENETRESET ENETUNREACH ENFILE ENOANO "
    "ENOBUFS ENOCSI ENODATA ENODEV ENOENT ENOEXEC ENOKEY ENOLCK ENOLINK ENOMEDIUM ENOMEM ENOMSG ENONET ENOPKG "
    "ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS ENOTBLK ENOTCONN ENOTDIR ENOTEMPTY ENOTNAM ENOTRECOVERABLE ENOTSOCK "
    "ENOTSUP ENOTTY ENOTUNIQ ENXIO EOF EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM EPFNOSUPPORT EPIPE EPROTO "
    "EPROTONOSUPPORT EPROTOTYPE ERANGE EREMCHG EREMOTE EREMOTEIO ERESTART ERFKILL EROFS ESHUTDOWN ESOCKTNOSUPPORT "
    "ESPIPE ESRCH ESRMNT ESTALE ESTRPIPE ETIME ETIMEDOUT ETOOMANYREFS ETXTBSY EUCLEAN EUNATCH EUSERS EWOULDBLOCK "
    "EXDEV EXFULL EXIT_FAILURE EXIT_SUCCESS FILE I INFINITY LITTLE_ENDIAN MAX_CANON MAX_INPUT MINSIGSTKSZ NAN NDEBUG "
    "NFDBITS NGREG NSIG NULL PDP_ENDIAN PIPE_BUF TIMER_ABSTIME TIME_UTC WCONTINUED WEOF WEXITED WNOHANG WNOWAIT "
    "WSTOPPED WUNTRACED";

// Functions of mathematics, each also with f and l behind it.
constexpr std::string_view mathematics =
    "acos acosh asin asinh atan atan2 atanh cabs cacos cacosh carg casin casinh catan catanh cbrt ccos ccosh ceil cexp "
    "cimag clog clog10 conj copysign cos cosh cpow cproj creal csin csinh csqrt ctan ctanh drem erf erfc exp exp10 "
    "exp2 "
    "expm1 fabs fdim finite floor fma fmax fmin fmod fpclassify frexp gamma gamma_r hypot ilogb isfinite isgreater "
    "isgreaterequal isinf isless islessequal islessgreater isnan isnormal isunordered j0 j1 jn ldexp lgamma lgamma_r "
    "llrint "
    "llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow pow10 remainder remquo "
    "rint round roundeven scalb scalbln scalbn signbit significand sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn";

bool among(std::string_view words, std::string_view word)
{
    for (std::size_t begin = 0; begin < words.size();) {
        const std::size_t end = std::min(words.find(' ', begin), words.size());
        if (words.substr(begin, end - begin) == word) {
            return true;
        }
        begin = end + 1;
    }
    return false;
}

bool letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// A name of the library's with one of these behind it is the library's too.
bool of_the_library(std::string_view name)
{
    for (const std::string_view suffix : {"", "f", "l", "f16", "f32", "f32x", "f64", "f64x", "f128"}) {
        if (name.ends_with(suffix) && among(mathematics, name.substr(0, name.size() - suffix.size()))) {
            return true;
        }
    }
    for (const std::string_view suffix : {"", "_r", "_l", "_unlocked"}) {
        if (name.ends_with(suffix) && among(taken, name.substr(0, name.size() - suffix.size()))) {
            return true;
        }
    }
    return name.ends_with("_t"); // types, of C and of POSIX
}

// Macros of the standard headers: the lists there grow, and what their families begin or end with does not.
bool in_capitals_of_the_library(std::string_view name)
{
    if (std::any_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; })) {
        return name.starts_with("PRI") || name.starts_with("SCN") || name.starts_with("si_");
    }
    for (const std::string_view start : {"BUS_",     "CLD_", "CLOCK", "DBL_",  "FD_",   "FE_", "FLT_", "FPE_",  "FP_",
                                         "HUGE_VAL", "ILL_", "LC_",   "LDBL_", "MATH_", "MB_", "M_",   "POLL_", "PRI",
                                         "PTHREAD_", "SA_",  "SCN",   "SEEK_", "SEGV_", "SIG", "SI_",  "SS_"}) {
        if (name.starts_with(start)) {
            return true;
        }
    }
    return name.starts_with("L_") || name.ends_with("_MAX") || name.ends_with("_MIN") || name.ends_with("_C") ||
           among(constants, name);
}

} // namespace

std::string c_name_problem(std::string_view name)
{
    const bool letters = std::all_of(name.begin(), name.end(), letter_or_digit);
    if (name.empty() || !letters || (name[0] >= '0' && name[0] <= '9')) {
        return ", expected a C identifier: letters, digits and underscores, no digit in front";
    }
    if (name.size() > longest_c_name) {
        return ", of " + std::to_string(name.size()) + " characters, expected at most " +
               std::to_string(longest_c_name);
    }
    if (name[0] == '_' || name.find("__") != std::string_view::npos) {
        return ", expected a name without an underscore in front or two in a row, which C and C++ keep for themselves";
    }
    if (among(keywords, name)) {
        return ", a keyword of C or C++, expected another name";
    }
    if (among(macros, name)) {
        return ", which compilers define as a macro, expected another name";
    }
    if (of_the_library(name) || in_capitals_of_the_library(name)) {
        return ", a name of the C or C++ library's or of a program's own start, expected another one";
    }
    if (name.starts_with("samara_") || name.starts_with("SAMARA_")) {
        return ", expected a name that does not begin as samara's own do";
    }
    return {};
}

std::string c_name_from(const std::string& path)
{
    std::string file = path.substr(path.find_last_of('/') + 1);
    file.resize(std::min(file.find_last_of('.'), file.size()));
    std::string name;
    for (const char c : file) {
        const char good = letter_or_digit(c) ? c : '_';
        if (good != '_' || (!name.empty() && name.back() != '_')) {
            name += good;
        }
    }
    const auto shorten = [&name] {
        name.resize(std::min(name.size(), longest_c_name));
        while (name.ends_with('_')) {
            name.pop_back();
        }
    };
    shorten();
    if (!c_name_problem(name).empty()) {
        name.insert(0, name.empty() ? "model" : "model_");
        shorten();
    }
    return name;
}

} // namespace samara::desk
