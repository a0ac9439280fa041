#if os(macOS) || os(Linux)
#if canImport(System)
import System
#else
import SystemPackage
#endif

/// The files of one run: what the program reads, and where it writes.
struct CommandFiles: Sendable {
    /// The most that a program may write beside its answer, where that may not be larger anyway: 64 MiB.
    static let asideLimit = 64 << 20
    /// How much of the end of standard error is kept: twice what an error shows, so that a prompt that is cut at the
    /// front lies outside of what is shown.
    static let errorTailLength = 4096

    /// The program's standard input.
    let input: FileDescriptor
    /// Its standard output.
    let output: FileDescriptor
    /// Its standard error.
    let errors: FileDescriptor
    /// Where the answer is.
    let answer: OutputFile

    /// Makes the files.
    ///
    /// - Throws: `Errno`: no descriptor or no space is left. Nothing is left open then.
    init(_ invocation: CommandInvocation) throws(Errno) {
        var opened: [FileDescriptor] = []
        do throws(Errno) {
            opened.append(try UnnamedFile.input(invocation.input))
            opened.append(try UnnamedFile.output(expecting: invocation.maximumOutputBytes))
            opened.append(try UnnamedFile.output(expecting: Self.asideLimit))
        } catch {
            Self.close(opened)
            throw error
        }
        input = opened[0]
        output = opened[1]
        errors = opened[2]
        answer = invocation.outputFile.map(OutputFile.named) ?? .open(output)
    }

    /// How much was written beside the answer: on standard error, and on standard output when the answer is a file.
    var asideByteCount: Int {
        let said = OutputFile.open(errors).byteCount
        guard case .named = answer else { return said }
        return said + OutputFile.open(output).byteCount
    }

    /// The end of what was said on standard error, at most ``errorTailLength`` bytes.
    var errorTail: [UInt8] { OutputFile.open(errors).tail(Self.errorTailLength) }

    /// Whether the file systems of the files have any room left.
    var hasRoom: Bool {
        guard FileSystemRoom.of(output) != 0, FileSystemRoom.of(errors) != 0 else { return false }
        guard case .named(let path) = answer else { return true }
        return FileSystemRoom.of(path) != 0
    }

    /// Closes them, with which they are gone.
    func close() { Self.close([input, output, errors]) }

    private static func close(_ files: [FileDescriptor]) {
        for file in files {
            // Whatever the system says, the number is free and may be somebody else's now: never try again.
            do { try file.close() } catch { continue }
        }
    }
}
#endif
