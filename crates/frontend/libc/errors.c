// Messages for errno values and signals, worded as glibc 2.36 words them in the "C" locale.
#define _GNU_SOURCE
#define __NO_INLINE__ 1
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define API __attribute__((weak))

// clang-format off
#define ERRORS \
	ERROR(EPERM, "Operation not permitted") \
	ERROR(ENOENT, "No such file or directory") \
	ERROR(ESRCH, "No such process") \
	ERROR(EINTR, "Interrupted system call") \
	ERROR(EIO, "Input/output error") \
	ERROR(ENXIO, "No such device or address") \
	ERROR(E2BIG, "Argument list too long") \
	ERROR(ENOEXEC, "Exec format error") \
	ERROR(EBADF, "Bad file descriptor") \
	ERROR(ECHILD, "No child processes") \
	ERROR(EAGAIN, "Resource temporarily unavailable") \
	ERROR(ENOMEM, "Cannot allocate memory") \
	ERROR(EACCES, "Permission denied") \
	ERROR(EFAULT, "Bad address") \
	ERROR(ENOTBLK, "Block device required") \
	ERROR(EBUSY, "Device or resource busy") \
	ERROR(EEXIST, "File exists") \
	ERROR(EXDEV, "Invalid cross-device link") \
	ERROR(ENODEV, "No such device") \
	ERROR(ENOTDIR, "Not a directory") \
	ERROR(EISDIR, "Is a directory") \
	ERROR(EINVAL, "Invalid argument") \
	ERROR(ENFILE, "Too many open files in system") \
	ERROR(EMFILE, "Too many open files") \
	ERROR(ENOTTY, "Inappropriate ioctl for device") \
	ERROR(ETXTBSY, "Text file busy") \
	ERROR(EFBIG, "File too large") \
	ERROR(ENOSPC, "No space left on device") \
	ERROR(ESPIPE, "Illegal seek") \
	ERROR(EROFS, "Read-only file system") \
	ERROR(EMLINK, "Too many links") \
	ERROR(EPIPE, "Broken pipe") \
	ERROR(EDOM, "Numerical argument out of domain") \
	ERROR(ERANGE, "Numerical result out of range") \
	ERROR(EDEADLK, "Resource deadlock avoided") \
	ERROR(ENAMETOOLONG, "File name too long") \
	ERROR(ENOLCK, "No locks available") \
	ERROR(ENOSYS, "Function not implemented") \
	ERROR(ENOTEMPTY, "Directory not empty") \
	ERROR(ELOOP, "Too many levels of symbolic links") \
	ERROR(ENOMSG, "No message of desired type") \
	ERROR(EIDRM, "Identifier removed") \
	ERROR(ECHRNG, "Channel number out of range") \
	ERROR(EL2NSYNC, "Level 2 not synchronized") \
	ERROR(EL3HLT, "Level 3 halted") \
	ERROR(EL3RST, "Level 3 reset") \
	ERROR(ELNRNG, "Link number out of range") \
	ERROR(EUNATCH, "Protocol driver not attached") \
	ERROR(ENOCSI, "No CSI structure available") \
	ERROR(EL2HLT, "Level 2 halted") \
	ERROR(EBADE, "Invalid exchange") \
	ERROR(EBADR, "Invalid request descriptor") \
	ERROR(EXFULL, "Exchange full") \
	ERROR(ENOANO, "No anode") \
	ERROR(EBADRQC, "Invalid request code") \
	ERROR(EBADSLT, "Invalid slot") \
	ERROR(EBFONT, "Bad font file format") \
	ERROR(ENOSTR, "Device not a stream") \
	ERROR(ENODATA, "No data available") \
	ERROR(ETIME, "Timer expired") \
	ERROR(ENOSR, "Out of streams resources") \
	ERROR(ENONET, "Machine is not on the network") \
	ERROR(ENOPKG, "Package not installed") \
	ERROR(EREMOTE, "Object is remote") \
	ERROR(ENOLINK, "Link has been severed") \
	ERROR(EADV, "Advertise error") \
	ERROR(ESRMNT, "Srmount error") \
	ERROR(ECOMM, "Communication error on send") \
	ERROR(EPROTO, "Protocol error") \
	ERROR(EMULTIHOP, "Multihop attempted") \
	ERROR(EDOTDOT, "RFS specific error") \
	ERROR(EBADMSG, "Bad message") \
	ERROR(EOVERFLOW, "Value too large for defined data type") \
	ERROR(ENOTUNIQ, "Name not unique on network") \
	ERROR(EBADFD, "File descriptor in bad state") \
	ERROR(EREMCHG, "Remote address changed") \
	ERROR(ELIBACC, "Can not access a needed shared library") \
	ERROR(ELIBBAD, "Accessing a corrupted shared library") \
	ERROR(ELIBSCN, ".lib section in a.out corrupted") \
	ERROR(ELIBMAX, "Attempting to link in too many shared libraries") \
	ERROR(ELIBEXEC, "Cannot exec a shared library directly") \
	ERROR(EILSEQ, "Invalid or incomplete multibyte or wide character") \
	ERROR(ERESTART, "Interrupted system call should be restarted") \
	ERROR(ESTRPIPE, "Streams pipe error") \
	ERROR(EUSERS, "Too many users") \
	ERROR(ENOTSOCK, "Socket operation on non-socket") \
	ERROR(EDESTADDRREQ, "Destination address required") \
	ERROR(EMSGSIZE, "Message too long") \
	ERROR(EPROTOTYPE, "Protocol wrong type for socket") \
	ERROR(ENOPROTOOPT, "Protocol not available") \
	ERROR(EPROTONOSUPPORT, "Protocol not supported") \
	ERROR(ESOCKTNOSUPPORT, "Socket type not supported") \
	ERROR(EOPNOTSUPP, "Operation not supported") \
	ERROR(EPFNOSUPPORT, "Protocol family not supported") \
	ERROR(EAFNOSUPPORT, "Address family not supported by protocol") \
	ERROR(EADDRINUSE, "Address already in use") \
	ERROR(EADDRNOTAVAIL, "Cannot assign requested address") \
	ERROR(ENETDOWN, "Network is down") \
	ERROR(ENETUNREACH, "Network is unreachable") \
	ERROR(ENETRESET, "Network dropped connection on reset") \
	ERROR(ECONNABORTED, "Software caused connection abort") \
	ERROR(ECONNRESET, "Connection reset by peer") \
	ERROR(ENOBUFS, "No buffer space available") \
	ERROR(EISCONN, "Transport endpoint is already connected") \
	ERROR(ENOTCONN, "Transport endpoint is not connected") \
	ERROR(ESHUTDOWN, "Cannot send after transport endpoint shutdown") \
	ERROR(ETOOMANYREFS, "Too many references: cannot splice") \
	ERROR(ETIMEDOUT, "Connection timed out") \
	ERROR(ECONNREFUSED, "Connection refused") \
	ERROR(EHOSTDOWN, "Host is down") \
	ERROR(EHOSTUNREACH, "No route to host") \
	ERROR(EALREADY, "Operation already in progress") \
	ERROR(EINPROGRESS, "Operation now in progress") \
	ERROR(ESTALE, "Stale file handle") \
	ERROR(EUCLEAN, "Structure needs cleaning") \
	ERROR(ENOTNAM, "Not a XENIX named type file") \
	ERROR(ENAVAIL, "No XENIX semaphores available") \
	ERROR(EISNAM, "Is a named type file") \
	ERROR(EREMOTEIO, "Remote I/O error") \
	ERROR(EDQUOT, "Disk quota exceeded") \
	ERROR(ENOMEDIUM, "No medium found") \
	ERROR(EMEDIUMTYPE, "Wrong medium type") \
	ERROR(ECANCELED, "Operation canceled") \
	ERROR(ENOKEY, "Required key not available") \
	ERROR(EKEYEXPIRED, "Key has expired") \
	ERROR(EKEYREVOKED, "Key has been revoked") \
	ERROR(EKEYREJECTED, "Key was rejected by service") \
	ERROR(EOWNERDEAD, "Owner died") \
	ERROR(ENOTRECOVERABLE, "State not recoverable") \
	ERROR(ERFKILL, "Operation not possible due to RF-kill") \
	ERROR(EHWPOISON, "Memory page has hardware error")

#define SIGNALS \
	SIGNAL(HUP, "Hangup") \
	SIGNAL(INT, "Interrupt") \
	SIGNAL(QUIT, "Quit") \
	SIGNAL(ILL, "Illegal instruction") \
	SIGNAL(TRAP, "Trace/breakpoint trap") \
	SIGNAL(ABRT, "Aborted") \
	SIGNAL(BUS, "Bus error") \
	SIGNAL(FPE, "Floating point exception") \
	SIGNAL(KILL, "Killed") \
	SIGNAL(USR1, "User defined signal 1") \
	SIGNAL(SEGV, "Segmentation fault") \
	SIGNAL(USR2, "User defined signal 2") \
	SIGNAL(PIPE, "Broken pipe") \
	SIGNAL(ALRM, "Alarm clock") \
	SIGNAL(TERM, "Terminated") \
	SIGNAL(STKFLT, "Stack fault") \
	SIGNAL(CHLD, "Child exited") \
	SIGNAL(CONT, "Continued") \
	SIGNAL(STOP, "Stopped (signal)") \
	SIGNAL(TSTP, "Stopped") \
	SIGNAL(TTIN, "Stopped (tty input)") \
	SIGNAL(TTOU, "Stopped (tty output)") \
	SIGNAL(URG, "Urgent I/O condition") \
	SIGNAL(XCPU, "CPU time limit exceeded") \
	SIGNAL(XFSZ, "File size limit exceeded") \
	SIGNAL(VTALRM, "Virtual timer expired") \
	SIGNAL(PROF, "Profiling timer expired") \
	SIGNAL(WINCH, "Window changed") \
	SIGNAL(POLL, "I/O possible") \
	SIGNAL(PWR, "Power failure") \
	SIGNAL(SYS, "Bad system call")
// clang-format on

#define ERROR(code, text) [code] = text,
static const char *const error_texts[] = { [0] = "Success", ERRORS };
#undef ERROR
#define ERROR(code, text) [code] = #code,
static const char *const error_names[] = { [0] = "0", ERRORS };
#undef ERROR
#define SIGNAL(name, text) [SIG##name] = text,
static const char *const signal_texts[] = { SIGNALS };
#undef SIGNAL
#define SIGNAL(name, text) [SIG##name] = #name,
static const char *const signal_names[] = { SIGNALS };
#undef SIGNAL

#define LOOK_UP(table, i) ((i) >= 0 && (size_t)(i) < sizeof(table) / sizeof *(table) ? (table)[i] : NULL)

// One for each thread, as in glibc: two threads may ask about unknown numbers at once.
static _Thread_local char unknown[32];

API char *strerror(int code)
{
	const char *text = LOOK_UP(error_texts, code);
	if (text)
		return (char *)text;
	snprintf(unknown, sizeof unknown, "Unknown error %d", code);
	return unknown;
}

API char *strerror_l(int code, locale_t locale)
{
	(void)locale;
	return strerror(code);
}

// The GNU form, which string.h declares under _GNU_SOURCE: the buffer is for unknown numbers only.
API char *strerror_r(int code, char *buffer, size_t size)
{
	const char *text = LOOK_UP(error_texts, code);
	if (text)
		return (char *)text;
	snprintf(buffer, size, "Unknown error %d", code);
	return buffer;
}

int __xpg_strerror_r(int code, char *buffer, size_t size);

// The POSIX form, to which string.h redirects strerror_r otherwise.
API int __xpg_strerror_r(int code, char *buffer, size_t size)
{
	const char *text = LOOK_UP(error_texts, code);
	if (!text) {
		snprintf(buffer, size, "Unknown error %d", code);
		return EINVAL;
	}
	size_t length = strlen(text), copied = length < size ? length : size - 1;
	if (size) {
		memcpy(buffer, text, copied);
		buffer[copied] = 0;
	}
	return length < size ? 0 : ERANGE;
}

API const char *strerrordesc_np(int code)
{
	return LOOK_UP(error_texts, code);
}

API const char *strerrorname_np(int code)
{
	return LOOK_UP(error_names, code);
}

API void perror(const char *prefix)
{
	const char *text = strerror(errno);
	if (prefix && *prefix)
		fprintf(stderr, "%s: %s\n", prefix, text);
	else
		fprintf(stderr, "%s\n", text);
}

// The kernel's first real-time signals, 32 and 33, belong to the C library.
enum { FIRST_REAL_TIME = 34, LAST_REAL_TIME = 64 };

API char *strsignal(int number)
{
	const char *text = LOOK_UP(signal_texts, number);
	if (text)
		return (char *)text;
	if (number >= FIRST_REAL_TIME && number <= LAST_REAL_TIME)
		snprintf(unknown, sizeof unknown, "Real-time signal %d", number - FIRST_REAL_TIME);
	else
		snprintf(unknown, sizeof unknown, "Unknown signal %d", number);
	return unknown;
}

API const char *sigdescr_np(int number)
{
	return LOOK_UP(signal_texts, number);
}

API const char *sigabbrev_np(int number)
{
	return LOOK_UP(signal_names, number);
}
