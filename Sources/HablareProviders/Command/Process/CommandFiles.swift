#if os(macOS) || os(Linux)
#if canImport(System)
import System
#else
import SystemPackage
#endif

/// The files of one run: its input, error output and answer.
struct CommandFiles: Sendable {
    /// The maximum number of bytes that a program may write in addition to the answer: 64 MiB. If the answer's limit is
    /// larger, that limit applies.
    static let asideLimit = 64 << 20
    /// The number of bytes kept from the end of standard error: twice the length that an error shows. So if the kept
    /// text begins in the middle of a copy of the prompt, this cut is not in the shown part.
    static let errorTailLength = 4096

    /// The free space that a file system must have so that an answer is trusted: 64 MiB.
    ///
    /// The reason: programs ignore failed writes. After a full disk has damaged an answer, some space may be free again
    /// because another file was removed, but rarely this much.
    static let leastRoom: UInt64 = 64 << 20

    /// The program's standard input.
    let input: FileDescriptor
    /// The program's standard error.
    let errors: FileDescriptor
    /// The program's standard output; `nil` if the answer is streamed through a pipe.
    ///
    /// Streaming uses a pipe for two reasons:
    ///
    /// - Bytes in a pipe are final. In a file, a program may go back and correct a header that was already read.
    /// - A full pipe makes a fast program wait, without using memory.
    let output: FileDescriptor?
    /// The location of the complete answer; `nil` if the answer is streamed.
    let answer: OutputFile?

    /// Creates the files.
    ///
    /// - Throws: `Errno` if no descriptor or no space is left. No file then stays open.
    init(_ invocation: CommandInvocation) throws(Errno) {
        var opened: [FileDescriptor] = []
        do throws(Errno) {
            opened.append(try UnnamedFile.input(invocation.input))
            opened.append(try UnnamedFile.output(expecting: Self.asideLimit))
            if invocation.taker == nil {
                opened.append(try UnnamedFile.output(expecting: invocation.maximumOutputBytes))
            }
        } catch {
            Self.close(opened)
            throw error
        }
        input = opened[0]
        errors = opened[1]
        output = opened.dropFirst(2).first
        answer = invocation.outputFile.map(OutputFile.named) ?? output.map(OutputFile.open)
    }

    /// The number of bytes written in addition to the answer: to standard error, and to standard output if the answer
    /// is a file.
    var asideByteCount: Int {
        let said = OutputFile.open(errors).byteCount
        guard case .named = answer, let output else { return said }
        return said + OutputFile.open(output).byteCount
    }

    /// The end of standard error, at most ``errorTailLength`` bytes.
    var errorTail: [UInt8] { OutputFile.open(errors).tail(Self.errorTailLength) }

    /// Whether each file system that the files use has at least ``leastRoom`` free. `true` if the system does not
    /// report the free space.
    var hasRoom: Bool {
        var rooms = [errors, output].compactMap(\.self).map { FileSystemRoom.of($0) }
        // The file may not exist yet; its folder does.
        if case .named(let path) = answer {
            rooms.append(FileSystemRoom.of(FilePath(path).removingLastComponent().string))
        }
        return rooms.allSatisfy { ($0 ?? .max) >= Self.leastRoom }
    }

    /// Closes the files, which also removes them.
    func close() {
        Self.close([input, errors, output].compactMap(\.self))
    }

    private static func close(_ files: [FileDescriptor]) {
        for file in files {
            // Never retry: even after an error the descriptor is free and may already belong to another file.
            do { try file.close() } catch { continue }
        }
    }
}
#endif
