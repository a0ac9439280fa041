import Foundation

/// The words of a command line as the system has them: bytes, which may be no UTF-8. Pure.
///
/// As text each such place becomes U+FFFD, and another prompt than the person's would be asked, and paid for, or another
/// file be looked for.
struct ArgumentBytes: Sendable, Equatable {
    /// The words, without the program's name.
    let words: [[UInt8]]

    /// Refuses words that are no UTF-8.
    func check() throws {
        guard let index = words.firstIndex(where: { String(validating: $0, as: UTF8.self) == nil }) else { return }
        throw CommandFailure(
            .usage,
            """
            Argument \(index + 1) of \(words.count) behind hablare is not UTF-8, and would be taken for another text. \
            Convert a text, as with iconv, and rename a file whose name is not UTF-8.
            """)
    }
}

extension ArgumentBytes {
    /// Those of this process.
    static var ofProcess: ArgumentBytes {
        let pointers = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
        return ArgumentBytes(
            words: pointers.dropFirst().compactMap(\.self).map { word in
                [UInt8](UnsafeRawBufferPointer(start: word, count: strlen(word)))
            })
    }
}
