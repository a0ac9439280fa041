#if os(macOS) || os(Linux)
import Foundation
import Hablare
import HablareProviders
import HablareTestKit
import Testing

/// A stage for the provider that runs programs: shell scripts that play a service. Their progress shows in the files
/// that they leave.
struct CommandStage: ProviderStage {
    /// The location of a script's answer.
    enum Place: Sendable {
        case standardOutput, file
    }

    static let all = [
        CommandStage(name: "command, standard output", place: .standardOutput),
        CommandStage(name: "command, file", place: .file),
    ]

    let name: String
    let place: Place
    let responseType = ContentType.text
    /// An answer in a file arrives as a whole, so it cannot be streamed.
    var modes: [ProviderMode] { place == .file ? [.whole] : ProviderMode.allCases }
    var yieldingModes: [ProviderMode] { place == .file ? [] : [.streamed] }
    let keys: [String] = []
    let watchesSilence = false
    /// Only the program itself knows whether an orderly end is complete, and its output is its answer.
    let plays = Set(ServicePlay.allCases).subtracting([.endsEarly, .thinks])
    /// A program that was killed costs nothing, and is run again.
    let lostCall = [FailureDisposition.retry(after: nil)]
    let flood = ProviderFailureRow("words without an end", .responseTooLarge)
    let repetitionCount = 4
    let mistakeCount = 2

    var usage: Usage {
        Usage(
            characters: Int64(ProviderContract.prompt(0).unicodeScalars.count), bytes: Int64(words(0).utf8.count),
            costMicroDollars: 0)
    }

    let failures = [
        ProviderFailureRow("status 3", .providerFailed, .fail),
        ProviderFailureRow("status 75", .providerFailed, .retry(after: nil)),
        ProviderFailureRow("SIGTERM", .providerFailed, .retry(after: nil)),
        ProviderFailureRow("SIGKILL", .providerFailed, .retry(after: nil)),
        ProviderFailureRow("SIGABRT", .providerFailed, .fail),
        ProviderFailureRow("more than it may say", .responseTooLarge),
    ]

    func request(_ prompt: String, _ mode: ProviderMode) -> AIRequest {
        AIRequest(prompt: .text(prompt), streaming: mode == .streamed ? StreamingPolicy() : nil)
    }

    func content(for number: Int) -> ResponseContent { .text(Body(words(number))) }

    func byteCount(of play: ServicePlay, _ mode: ProviderMode) -> Int { words(0).utf8.count }

    func provider(changing change: ProviderChange?) throws -> (any AIServiceProvider)? {
        switch change {
        case nil: try CommandProvider(CommandTemplate(id: "command", executable: "/bin/cat", content: .text))
        case .address: try CommandProvider(CommandTemplate(id: "command", executable: "/bin/echo", content: .text))
        case .model, .key: nil
        }
    }

    func withScene<R: Sendable>(
        _ play: ServicePlay, _ body: @escaping @Sendable (any ProviderScene) async throws -> R
    ) async throws -> R {
        let program = try TestProgram(script(play))
        var arguments: [CommandArgument] = [.piece(program.directory.path)]
        if place == .file { arguments.append("{output}") }
        let template = program.template(
            arguments, output: place == .file ? .file(extension: "txt") : .standardOutput)
        return try await body(CommandScene(provider: try CommandProvider(template), program: program))
    }

    // MARK: Scripts

    private func words(_ number: Int) -> String { "A quokka \(ProviderContract.text(of: number))." }

    /// Returns a script. Its arguments are a directory, in which it records its start, its pauses and its end, and
    /// optionally a file for its answer.
    private func script(_ play: ServicePlay) -> String {
        """
        prompt=$(cat); text=${prompt##*number-}; text=${text%%,*}; number=$((1$text - 100000))
        directory=$1; file=$2; words="A quokka $text."; length=${#words}
        echo $$ > "$directory/$number.new"; mv "$directory/$number.new" "$directory/$number.pid"
        [ -z "$file" ] || exec > "$file"
        \(act(play))
        : > "$directory/$number.done"
        """
    }

    private func act(_ play: ServicePlay) -> String {
        switch play {
        case .answers: #"printf %s "$words""#
        case .drips:
            #"rest=$words; while [ -n "$rest" ]; do tail=${rest#?}; printf %s "${rest%"$tail"}"; rest=$tail; done"#
        case .breaksOff:
            #"printf "%.${number}s" "$words"; [ "$number" -ge "$length" ] || kill -KILL $$"#
        case .pauses: #"printf %s "A quokka"; : > "$directory/$number.pause"; exec sleep 1000"#
        case .isSilent, .thinks: "exec sleep 1000"
        case .neverEnds: #"exec yes "$words""#
        case .floods: #"exec yes "$prompt" >&2"#
        case .refuses:
            #"""
            echo "I cannot do this: $prompt" >&2
            case $number in
            0) exit 3;; 1) exit 75;; 2) kill -TERM $$;; 3) kill -KILL $$;; 4) kill -ABRT $$;; *) exec yes;;
            esac
            """#
        case .mistakes:
            #"case $number in 0) printf '\377\376';; *) printf 'abc\303';; esac"#
        case .repeats:
            #"""
            case $number in
            0) echo "$prompt" >&2; exit 1;;
            1) echo "$prompt$prompt" | tr a-z A-Z >&2; exit 1;;
            2) printf '\377'; echo "cannot say: $prompt" >&2;;
            *) printf '%s' "${prompt#Tell }" | cut -c 1-30 >&2; exit 1;;
            esac
            """#
        case .endsEarly: "exit 1"
        }
    }
}

/// A script that plays a service, and the provider that runs it.
struct CommandScene: ProviderScene {
    let provider: any AIServiceProvider
    let program: TestProgram

    var callCount: Int { files(".pid").count }

    func calls(reach count: Int) async { await untilSo { callCount >= count } }

    func pause(ofCall number: Int) async { await untilSo { has("\(number).pause") } }

    func ending(ofCall number: Int) async -> CallEnding {
        await untilSo { has("\(number).pid") }
        let pid = pid(ofCall: number)
        await untilSo { !isRunning(pid) }
        return CallEnding(wasLeft: !has("\(number).done"))
    }

    func end() async {
        for number in files(".pid").compactMap({ Int($0.dropLast(4)) }) where pid(ofCall: number) > 0 {
            kill(pid(ofCall: number), SIGKILL)
        }
    }

    private func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: program.url(name).path) }

    private func pid(ofCall number: Int) -> pid_t {
        program.text("\(number).pid").flatMap { pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 0
    }

    private func files(_ suffix: String) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: program.directory.path).filter {
                $0.hasSuffix(suffix)
            }
        } catch {
            return []
        }
    }

    /// Polls until a condition holds, or the task is cancelled: programs report their progress in files.
    private func untilSo(_ condition: () -> Bool) async {
        do {
            while !condition() { try await Task.sleep(for: .milliseconds(2)) }
        } catch {
            return
        }
    }
}

extension CommandStage: CustomTestStringConvertible {
    var testDescription: String { name }
}
#endif
