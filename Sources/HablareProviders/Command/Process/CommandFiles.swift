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

    /// How much room a file system must have for a program's answer to be trusted: 64 MiB. Programs ignore that their
    /// writes fail, and a disk that was full for a moment has some room again when another program's file goes; it has
    /// hardly this much again.
    static let leastRoom: UInt64 = 64 << 20

    /// The program's standard input.
    let input: FileDescriptor
    /// Its standard error.
    let errors: FileDescriptor
    /// Its standard output; `nil` where the answer is handed over while it comes, through a pipe.
    ///
    /// A pipe is right there for two reasons. What is in it stays as it is: into a file a program may go back, to mend a
    /// header that somebody has read. And it is full soon: a program that writes faster than its answer can be put away
    /// waits, and needs no memory.
    let output: FileDescriptor?
    /// Where the answer is at the end, unless it is handed over while it comes.
    let answer: OutputFile?

    /// Makes the files.
    ///
    /// - Throws: `Errno`: no descriptor or no space is left. Nothing is left open then.
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

    /// How much was written beside the answer: on standard error, and on standard output when the answer is a file.
    var asideByteCount: Int {
        let said = OutputFile.open(errors).byteCount
        guard case .named = answer, let output else { return said }
        return said + OutputFile.open(output).byteCount
    }

    /// The end of what was said on standard error, at most ``errorTailLength`` bytes.
    var errorTail: [UInt8] { OutputFile.open(errors).tail(Self.errorTailLength) }

    /// Whether the file systems of the files have ``leastRoom`` left. Where the system does not say, they have.
    var hasRoom: Bool {
        var rooms = [errors, output].compactMap(\.self).map { FileSystemRoom.of($0) }
        // The file may not be there yet; its folder is.
        if case .named(let path) = answer {
            rooms.append(FileSystemRoom.of(FilePath(path).removingLastComponent().string))
        }
        return rooms.allSatisfy { ($0 ?? .max) >= Self.leastRoom }
    }

    /// Closes them, with which they are gone.
    func close() {
        Self.close([input, errors, output].compactMap(\.self))
    }

    private static func close(_ files: [FileDescriptor]) {
        for file in files {
            // Whatever the system says, the number is free and may be somebody else's now: never try again.
            do { try file.close() } catch { continue }
        }
    }
}
#endif
