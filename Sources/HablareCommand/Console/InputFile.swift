import Foundation
import Hablare

enum InputFile {
    /// The maximum size of a text: 256 MiB. The whole text is held in memory.
    static let mostTextBytes = 256 << 20
    private static let pieceBytes = 1 << 20

    enum Fault: Error, Hashable {
        case missing
        case folder
        /// The file may not be read, or its disk fails. The value is the system's message.
        case unreadable(String)
        /// The file exceeds the maximum size. The value is the maximum size in bytes.
        case tooLarge(Int)
    }

    /// Returns the content of a file, which may be a pipe or another device. Reads at most one byte beyond the limit.
    static func bytes(of url: URL, atMost most: Int) throws(Fault) -> Data {
        var status = stat()
        guard stat(url.path, &status) == 0 else {
            let reason = errno
            throw reason == ENOENT || reason == ENOTDIR ? .missing : .unreadable(String(cString: strerror(reason)))
        }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw .folder }
        let data: Data
        do {
            // A handle, because a pipe or /dev/stdin has no size.
            let handle = try FileHandle(forReadingFrom: url)
            defer { handle.closeFile() }
            data = try bytes(of: handle, atMost: most)
        } catch {
            throw .unreadable(error.localizedDescription)
        }
        guard data.count <= most else { throw .tooLarge(most) }
        return data
    }

    private static func bytes(of handle: FileHandle, atMost most: Int) throws -> Data {
        var data = Data()
        while data.count <= most {
            let piece = try handle.read(upToCount: min(pieceBytes, most + 1 - data.count)) ?? Data()
            if piece.isEmpty { break }
            data += piece
        }
        return data
    }

    /// Returns all of standard input. Reads at most one byte beyond the limit.
    static func standardInput(_ handle: FileHandle, atMost most: Int = mostTextBytes) throws -> Data {
        let data: Data
        do {
            data = try bytes(of: handle, atMost: most)
        } catch {
            throw CommandFailure(
                .inputMissing,
                "Standard input cannot be read: it is closed, or a folder. Give a file, or pipe text in.")
        }
        guard data.count <= most else {
            throw CommandFailure(
                .badInput, "Standard input has more than \(most) bytes, the maximum for a text. Shorten it.")
        }
        return data
    }

    /// Returns all of standard input if it is a pipe, a socket or a file, like ``standardInput(_:atMost:)``. Returns
    /// `nil` if it is a terminal, another device such as `/dev/null`, a folder, or closed.
    ///
    /// - Parameters:
    ///   - patience: The time after which `waits` is called if no input arrives. Default: 3 s.
    ///   - waits: A closure that is called once if no input arrives in this time. The input is still read to its end.
    static func pipedInput(
        _ handle: FileHandle, atMost most: Int = mostTextBytes, patience: Duration = .seconds(3), waits: () -> Void
    ) throws -> Data? {
        var status = stat()
        guard fstat(handle.fileDescriptor, &status) == 0,
            [S_IFIFO, S_IFSOCK, S_IFREG].contains(status.st_mode & S_IFMT)
        else { return nil }
        var state = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
        if poll(&state, 1, Int32(patience.components.seconds * 1000)) == 0 { waits() }
        return try standardInput(handle, atMost: most)
    }

    /// - Parameter instead: The advice if the file is missing. It continues a sentence that begins with "Check the
    ///   name".
    static func read(_ url: URL, atMost most: Int, what: String, instead: String = "") throws -> Data {
        do throws(Fault) {
            return try bytes(of: url, atMost: most)
        } catch {
            switch error {
            case .missing:
                throw CommandFailure(.inputMissing, "There is no \(what) \(url.path). Check the name\(instead).")
            case .folder:
                throw CommandFailure(.inputMissing, "\(url.path) is a folder. Give a \(what).")
            case .unreadable(let reason):
                throw CommandFailure(.inputMissing, "The \(what) \(url.path) cannot be read: \(reason)")
            case .tooLarge(let most):
                throw CommandFailure(
                    .badInput,
                    """
                    The \(what) \(url.path) has more than \(most) bytes, the maximum. Check that it is the right \
                    file.
                    """)
            }
        }
    }

    static func text(_ url: URL) throws -> Data {
        try read(url, atMost: mostTextBytes, what: "file", instead: ", or pass - to read standard input")
    }

    static func isStandardInput(_ words: String?, file: String?) -> Bool {
        file.map { $0 == "-" } ?? (words == nil || words == "-")
    }

    /// Returns the text that was given to a command: as an argument, in a file or on standard input. Also returns the
    /// name of the source for messages.
    static func given(
        _ words: String?, file: String?, in composition: Composition
    ) throws -> (text: Data, source: String) {
        if let file {
            guard words == nil else {
                throw CommandFailure(.usage, "The text is given as an argument and with -f. Leave one of them out.")
            }
            guard file != "-" else { return (try composition.readInput(), "standard input") }
            let url = composition.url(file)
            return (try text(url), url.lastPathComponent)
        }
        guard let words, words != "-" else { return (try composition.readInput(), "standard input") }
        return (Data(words.utf8), "the command line")
    }
}

enum InputText {
    static func one(_ argument: String?, what: String, in composition: Composition) throws -> String {
        let input = try InputFile.given(argument, file: nil, in: composition)
        guard let text = String(validating: input.text, as: UTF8.self) else {
            throw CommandFailure(
                .badInput,
                """
                The \(what) on \(input.source) is not UTF-8. Convert it, for example with iconv.
                """)
        }
        guard !text.allSatisfy(\.isWhitespace) else {
            throw CommandFailure(.badInput, "The \(what) is empty. Pass one as an argument, or pipe it in.")
        }
        return text
    }
}

/// The prompt of `generate`: the argument, together with the content that is piped in.
struct PromptInput: Sendable, Hashable {
    var text: String
    /// Piped content that is not text: a picture, a PDF or a recording.
    var attachment: Prompt.Part?

    /// Reads the prompt. Without an argument, or with `-`, standard input is the prompt. With an argument, standard
    /// input is read only if it is a pipe or a file, and its content goes before the argument.
    static func read(_ argument: String?, quiet: Bool, in composition: Composition) throws -> PromptInput {
        guard let argument, argument != "-", let input = try readPiped(before: argument, quiet: quiet, in: composition)
        else {
            return PromptInput(text: try InputText.one(argument, what: "prompt", in: composition))
        }
        guard !input.text.allSatisfy(\.isWhitespace) else {
            throw CommandFailure(.badInput, "The prompt is empty. Pass one as an argument, or pipe it in.")
        }
        return input
    }

    /// Reads the prompt like ``read(_:quiet:in:)``. Returns `nil` if there is neither an argument nor piped input.
    static func readIfAny(_ argument: String?, quiet: Bool, in composition: Composition) throws -> PromptInput? {
        guard argument == nil else { return try read(argument, quiet: quiet, in: composition) }
        return try readPiped(before: "", quiet: quiet, in: composition)
    }

    private static func readPiped(
        before argument: String, quiet: Bool, in composition: Composition
    ) throws -> PromptInput? {
        func tellOfWait() {
            guard !quiet else { return }
            composition.console.note(
                "Reading standard input, which has no end yet. To send the prompt alone, redirect it: < /dev/null")
        }
        guard let piped = try composition.readPipedInput(tellOfWait), !piped.isEmpty else { return nil }
        guard let input = PromptInput(piped, before: argument) else {
            throw CommandFailure(
                .badInput,
                """
                Standard input is neither text in UTF-8 nor a picture, a PDF or a recording. Convert it, or redirect \
                standard input from /dev/null to send the prompt alone.
                """)
        }
        return input
    }

    /// Combines piped content with a prompt; `nil` for content of an unknown kind.
    init?(_ piped: Data, before prompt: String) {
        switch AttachedFile.part(piped, named: "standard input") {
        case nil: return nil
        case .text?:
            text = Self.combined(String(decoding: piped, as: UTF8.self), before: prompt)
        case let part?:
            (text, attachment) = (prompt, part)
        }
    }

    init(text: String) {
        self.text = text
    }

    /// Returns the input, a blank line and the prompt. If one of the two texts has only spaces, returns the other text
    /// unchanged.
    static func combined(_ input: String, before prompt: String) -> String {
        guard !input.allSatisfy(\.isWhitespace) else { return prompt }
        guard !prompt.allSatisfy(\.isWhitespace) else { return input }
        let end = input.lastIndex { !$0.isNewline }
        return "\(end.map { input[...$0] } ?? "")\n\n\(prompt)"
    }
}
