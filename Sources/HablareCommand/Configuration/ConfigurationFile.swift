import Foundation

/// The file of settings: `hablare.yaml` or `hablare.json` in the configuration folder, or a file that the user named.
struct ConfigurationFile: Sendable, Hashable {
    static let maximumBytes = 1 << 20
    static let names = ["hablare.yaml", "hablare.yml", "hablare.json"]
    static let variable = "HABLARE_CONFIG"

    let url: URL
    /// The option or variable that named the file, such as `--config`; `nil` if it was found in the configuration
    /// folder.
    let namedBy: String?

    /// Finds the file named by `--config`, else by `HABLARE_CONFIG`, else the one in the configuration folder, if any.
    static func find(_ option: String?, in composition: Composition) throws -> ConfigurationFile? {
        let variable = composition.environment[variable].map { ($0, self.variable) }
        if let (path, source) = option.map({ ($0, "--config") }) ?? variable {
            guard !path.isEmpty else {
                throw CommandFailure(
                    source == self.variable ? .configuration : .usage,
                    "\(source) is empty. Give a settings file, or leave it out.")
            }
            return ConfigurationFile(url: composition.url(path), namedBy: source)
        }
        let folders = XDGFolders(environment: composition.environment)
        let found = try names.compactMap(folders.configurationFile).filter { try status(of: $0) != nil }
        guard found.count < 2 else {
            throw CommandFailure(
                .configuration,
                "\(found.map(\.path).joined(separator: " and ")) exist. Keep only one of them."
            )
        }
        return found.first.map { ConfigurationFile(url: $0, namedBy: nil) }
    }

    func settings() throws -> [Setting] {
        let data = try read()
        guard let text = String(validating: data, as: UTF8.self) else { throw notText(data) }
        let withoutMark = text.first == "\u{FEFF}" ? String(text.dropFirst()) : text
        if url.pathExtension.lowercased() == "json", !withoutMark.allSatisfy(\.isWhitespace),
            let fault = JSONFault(in: Data(withoutMark.utf8), takesLast: true)
        {
            throw failure(fault.sentence)
        }
        return try ConfigurationText(text: withoutMark, file: self).settings()
    }

    func failure(_ problem: String) -> CommandFailure { CommandFailure(file: url, problem) }

    private func read() throws -> Data {
        guard let status = try Self.status(of: url) else {
            throw CommandFailure(
                .inputMissing,
                "There is no file \(url.path). Give a settings file with \(namedBy ?? "--config"), or leave it out.")
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFDIR: break
        default: throw failure("It is not a regular file. Settings are read more than once, so give a regular file.")
        }
        do throws(InputFile.Fault) {
            return try InputFile.bytes(of: url, atMost: Self.maximumBytes)
        } catch {
            switch error {
            case .missing: throw failure("It was removed while it was read. Run the command again.")
            case .folder: throw failure("It is a folder. Give a settings file.")
            case .unreadable(let reason): throw failure("It cannot be read: \(reason)")
            case .tooLarge(let most):
                throw failure("It has more than \(most) bytes, too many for settings. Check that it is the right file.")
            }
        }
    }

    /// Returns the status of the file at a path; `nil` if nothing is there. A dangling link is an error, not `nil`.
    private static func status(of url: URL) throws -> stat? {
        var found = stat()
        if stat(url.path, &found) == 0 { return found }
        let reason = errno
        if reason == ENOTDIR { return nil }
        if reason == ENOENT {
            var link = stat()
            guard lstat(url.path, &link) == 0 else { return nil }
        }
        throw CommandFailure(file: url, "It cannot be read: \(String(cString: strerror(reason)))")
    }

    private func notText(_ data: Data) -> CommandFailure {
        var decoder = Unicode.UTF8()
        var bytes = data.makeIterator()
        var valid = String.UnicodeScalarView()
        while case .scalarValue(let scalar) = decoder.decode(&bytes) { valid.append(scalar) }
        let line = valid.count { $0 == "\n" } + 1
        return failure(
            """
            It is not UTF-8 from byte \(String(valid).utf8.count), in line \(line). Convert it, for example with \
            iconv.
            """)
    }
}
