import Foundation

/// A file that a command is given.
enum InputFile {
    /// All that is in it.
    ///
    /// - Throws: ``CommandFailure``.
    static func read(_ input: URL) throws -> Data {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: input.path, isDirectory: &isFolder) else {
            throw CommandFailure(
                .inputMissing, "There is no file \(input.path). Check the name, or give - to read standard input.")
        }
        guard !isFolder.boolValue else {
            throw CommandFailure(.inputMissing, "\(input.path) is a folder. Give a text file.")
        }
        do {
            // By a handle: a pipe or /dev/stdin has no size to be asked for.
            let handle = try FileHandle(forReadingFrom: input)
            defer { handle.closeFile() }
            return try handle.readToEnd() ?? Data()
        } catch {
            throw CommandFailure(.inputMissing, "\(input.path) cannot be read: \(error.localizedDescription)")
        }
    }

    /// The text that a command is given: as words, in a file, or on standard input.
    ///
    /// - Parameters:
    ///   - words: The argument; `nil` or `-` reads standard input where no file is named.
    ///   - file: What `-f` names; `-` is standard input.
    /// - Returns: The text's bytes, and what to call it in messages.
    /// - Throws: ``CommandFailure``.
    static func given(
        _ words: String?, file: String?, in composition: Composition
    ) throws -> (text: Data, source: String) {
        if let file {
            guard words == nil else {
                throw CommandFailure(.usage, "The text is given twice, as an argument and with -f. Leave one out.")
            }
            guard file != "-" else { return (try composition.readInput(), "standard input") }
            let url = composition.url(file)
            return (try read(url), url.lastPathComponent)
        }
        guard let words, words != "-" else { return (try composition.readInput(), "standard input") }
        return (Data(words.utf8), "the command line")
    }
}
