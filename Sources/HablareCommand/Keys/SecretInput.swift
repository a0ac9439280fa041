import Foundation

struct SecretInput: Sendable {
    let descriptor: CInt

    static let standard = SecretInput(descriptor: STDIN_FILENO)

    func read(prompt: String) async throws -> String {
        guard isatty(descriptor) == 1 else {
            let descriptor = descriptor
            return try SecretLine.text(of: await OwnThread.run { _ in try Self.all(of: descriptor) })
        }
        let line = try await HiddenTerminal(descriptor: descriptor).line(prompt: prompt)
        guard line.count <= SecretLine.longestTyped else {
            throw CommandFailure(
                .badInput,
                """
                The typed key is longer than a terminal accepts. Nothing was stored. Put it into a file that only you \
                can read, then run: hablare keys set SERVICE < FILE
                """
            )
        }
        return try SecretLine.text(of: line)
    }

    /// Reads bytes to the end of the input. If the input exceeds the limit, reads slightly more than the limit.
    private static func all(of descriptor: CInt) throws -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 4 << 10)
        while data.count <= SecretLine.mostPiped {
            let count = systemRead(descriptor, &buffer)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                poll(&state, 1, -1)
                continue
            }
            guard count >= 0 else {
                throw CommandFailure(
                    .inputMissing,
                    "Standard input cannot be read: it is closed, or a folder. Type the key, or pipe it in.")
            }
            guard count > 0 else { break }
            data += buffer[..<count]
        }
        return data
    }
}

/// Reads the available bytes and returns their number; 0 at the end, a negative number after a failure.
func systemRead(_ descriptor: CInt, _ buffer: inout [UInt8]) -> Int {
    read(descriptor, &buffer, buffer.count)
}

/// One line with a key, typed or from a pipe.
enum SecretLine {
    /// The longest typed line, in bytes. Some terminals accept no more than 1,023 bytes.
    static let longestTyped = 1_000
    /// The maximum number of bytes from a pipe.
    static let mostPiped = 16 << 10

    static func text(of data: Data) throws -> String {
        guard data.count <= mostPiped else { throw refusal("has more than \(mostPiped) bytes, too many for a key") }
        guard let text = String(validating: data, as: UTF8.self) else { throw refusal("is not UTF-8 text") }
        let lines = text.split(whereSeparator: \.isNewline).filter { $0.contains { !$0.isWhitespace } }
        guard let line = lines.first else { throw refusal("is empty") }
        guard lines.count == 1 else {
            throw refusal("has several lines, but a key is one line. Select it, for example with head -n 1")
        }
        return String(line)
    }

    private static func refusal(_ problem: String) -> CommandFailure {
        CommandFailure(.badInput, "The input for the key \(problem). Nothing was stored.")
    }
}
