#if os(macOS) || os(Linux)
import Foundation
import Hablare

/// The facts about a program with which the outcome of a run is judged.
struct CommandReport: Sendable {
    /// The program's name in messages.
    let program: String
    /// The command that installs the program.
    let installation: String?
    /// The content that the template promises.
    let content: CommandContent
    /// Whether an empty answer is valid. For example, the transcript of silence is empty.
    let mayBeEmpty: Bool
    /// The maximum size of the answer in bytes.
    let maximumOutputBytes: Int
    /// The prompt. It is used only to remove the prompt's text from error messages.
    let prompt: String

    /// Creates a report for runs of a template.
    init(of template: CommandTemplate, prompt: String) {
        program = template.executable
        installation = template.installation
        content = template.content
        mayBeEmpty = template.input == .audio && template.content == .text
        maximumOutputBytes = template.maximumOutputBytes
        self.prompt = prompt
    }

    /// Returns the result of the attempt for the outcome of a run. If the answer was streamed, the returned content has
    /// no bytes.
    ///
    /// | end of the run | code | disposition |
    /// |---|---|---|
    /// | status 0, with the promised content | – | – |
    /// | status 0, with other content or no content | `invalid-response` | fail |
    /// | status 75 (`EX_TEMPFAIL`: try again later) | `provider-failed` | retry |
    /// | another status | `provider-failed` | fail |
    /// | SIGHUP, SIGINT, SIGTERM or SIGKILL from outside | `provider-failed` | retry: killed, or out of memory |
    /// | another signal | `provider-failed` | fail: the program crashed |
    /// | more output than the limit | `response-too-large` | fail |
    /// | the program is missing or not executable | `program-missing` | needs the user |
    /// | the system has no process, descriptor or memory left | `provider-failed` | retry |
    /// | the disk has no space for the run's files | `storage-full` | needs the user |
    /// | the arguments are too long | `invalid-request` | fail |
    /// | the run could not be tracked | `provider-failed` | retry |
    /// | the receiver of the output failed | the receiver's code | the receiver's disposition |
    /// | the run was cancelled | `cancelled` | – |
    func judge(_ outcome: CommandOutcome) -> Result<ResponseContent, AIServiceError> {
        let words = Redaction(of: prompt).tail(of: outcome.errorTail, limit: 2048)
        switch outcome.end {
        case .exited(0):
            return content(of: outcome.output, words)
        case .exited(let status):
            return .failure(
                failed("ended with status \(status).", retry: status == 75, cause: words ?? "status \(status)"))
        case .signalled(let signal):
            let name = Self.signals[signal].map { "SIG\($0)" } ?? "signal \(signal)"
            return .failure(
                failed("was ended by \(name).", retry: [1, 2, 9, 15].contains(signal), cause: words ?? name))
        case .cancelled:
            return .failure(AIServiceError(.cancelled, "The run of \(program) was cancelled."))
        case .overran:
            return .failure(
                AIServiceError(
                    .responseTooLarge,
                    "\(program) wrote more than \(maximumOutputBytes) bytes and was ended. "
                        + "Request less, or raise maximumOutputBytes in its template.", cause: words))
        case .notExecutable:
            return .failure(notExecutable("it, or the interpreter it names in its first line, cannot be executed"))
        case .notStarted(let code):
            return .failure(notStarted(code))
        case .refused(let error):
            return .failure(error)
        case .lost(let cause):
            return .failure(failed("could no longer be supervised and was ended.", retry: true, cause: cause))
        }
    }

    /// Returns the error for a program that cannot be run. Returns `nil` for a program that can be run.
    func problem(of search: ExecutableSearch) -> AIServiceError? {
        switch search {
        case .found: nil
        case .notExecutable(let path): notExecutable("\(path) is not an executable file")
        case .missing:
            AIServiceError(
                .programMissing, "The program \(program) is not installed, or not in PATH. \(installationAdvice)")
        }
    }

    private func content(
        of output: CommandOutcome.Output, _ words: String?
    ) -> Result<ResponseContent, AIServiceError> {
        let problem: String
        switch output {
        case .bytes(let bytes) where bytes.isEmpty && mayBeEmpty: return .success(content.content(of: Body(Data())))
        case .bytes(let bytes):
            guard let wrong = ContentProbe.problem(of: bytes, as: content) else {
                return .success(content.content(of: Body(Data(bytes))))
            }
            problem = wrong
        case .relayed(let tally):
            guard let wrong = tally.problem else { return .success(content.content(of: Body(Data()))) }
            problem = wrong
        case .noFile: problem = "there is no output file"
        case .notAFile: problem = "its output is not a regular file"
        case .unreadable(let code): problem = "its output cannot be read (error \(code))"
        }
        return .failure(
            AIServiceError(
                .invalidResponse,
                "\(program) succeeded, but its answer is not \(content.label): \(problem). "
                    + Self.advice(against: problem), cause: words))
    }

    private static func advice(against problem: String) -> String {
        problem == ContentProbe.notUTF8
            ? "Make the program write UTF-8, for example with LC_ALL=C.UTF-8 or iconv, or declare its answer as data."
            : "Run the program by hand, and check its template."
    }

    private var installationAdvice: String {
        installation.map { "Install it with: \($0)" } ?? "Install it, or give its absolute path."
    }

    private func notExecutable(_ problem: String) -> AIServiceError {
        AIServiceError(.programMissing, "The program \(program) cannot be run: \(problem). \(installationAdvice)")
    }

    private func failed(_ problem: String, retry: Bool, cause: String?) -> AIServiceError {
        AIServiceError(
            .providerFailed, "\(program) \(problem)",
            disposition: retry ? .retry(after: nil) : .fail, cause: cause)
    }

    private func notStarted(_ code: Int32) -> AIServiceError {
        switch code {
        case EACCES, ENOENT, ENOTDIR:
            notExecutable("error \(code) when it was started")
        case E2BIG:
            AIServiceError(.invalidRequest, "The arguments of \(program) are too long. Shorten the parameters.")
        case ENOSPC, EDQUOT, EROFS:
            AIServiceError(
                .storageFull,
                """
                There is not enough space for the temporary files of \(program): 64 MiB are needed. Free some space, \
                or set TMPDIR.
                """,
                cause: "error \(code)")
        default:
            AIServiceError(
                .providerFailed,
                "\(program) could not be started: the system lacks processes, descriptors or memory. "
                    + "Run fewer programs at once.", disposition: .retry(after: nil), cause: "error \(code)")
        }
    }

    private static let signals: [Int32: String] = [
        1: "HUP", 2: "INT", 3: "QUIT", 4: "ILL", 6: "ABRT", 8: "FPE", 9: "KILL", 11: "SEGV", 13: "PIPE", 14: "ALRM",
        15: "TERM",
    ]
}
#endif
