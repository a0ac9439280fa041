import Foundation

/// The user's editor: `$VISUAL`, else `$EDITOR`, else `vi`. It may have arguments, such as `code --wait`.
enum Editor {
    static func command(_ environment: [String: String]) -> String {
        ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }.first { !$0.allSatisfy(\.isWhitespace) } ?? "vi"
    }

    /// Runs an editor on the terminal of this process. Returns the editor's exit status when the editor has ended.
    static func run(_ command: String, on file: URL) async throws -> Int32 {
        let words = "\(command) \(ShellWords.joined([file.path]))"
        // Ctrl-C belongs to the editor. This call ignores it meanwhile, and keeps the editor in the terminal's group.
        let status = try await OwnThread.run { _ in system(words) }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }
}

extension Composition {
    /// Lets the user edit a file. Creates the folder of the file if it is missing.
    ///
    /// - Parameter check: Checks the file after the editor has ended. If it throws an error, the file stays as it is.
    /// - Parameter again: The command that edits the file again, for the message.
    func edit(_ file: URL, again: String, check: () throws -> Void) async throws {
        try OwnFile.makeFolder(of: file)
        let editor = Editor.command(environment)
        let status = try await runEditor(editor, file)
        guard status == 0 else {
            let reason = status == 127 ? "was not found" : "ended with status \(status)"
            throw CommandFailure(
                .incomplete,
                "The editor \(editor) \(reason). Set VISUAL or EDITOR to another one, or edit \(file.path) yourself.")
        }
        do {
            try check()
        } catch {
            throw CommandFailure(error).advising("Your text is kept. To correct it: \(again)")
        }
    }
}
