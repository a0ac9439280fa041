import Foundation

/// The settings file: `hablare.yaml` or `hablare.json` in the configuration folder, or a file that the user named.
struct ConfigurationFile: Sendable, Hashable {
    static let maximumBytes = 1 << 20
    static let names = ["hablare.yaml", "hablare.yml", "hablare.json"]
    static let variable = "HABLARE_CONFIG"

    let url: URL
    /// The option or variable that named the file, such as `--config`; `nil` if the file was found in the configuration
    /// folder.
    let namedBy: String?

    /// Finds the settings file: the file named by `--config`, else the file named by `HABLARE_CONFIG`, else the file in
    /// the configuration folder. Returns `nil` if there is none.
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

    /// Returns the file that ``find(_:in:)`` finds. If there is none, returns the file to create.
    static func findOrNew(_ option: String?, in composition: Composition) throws -> ConfigurationFile {
        if let found = try find(option, in: composition) { return found }
        guard let url = XDGFolders(environment: composition.environment).configurationFile(names[0]) else {
            throw CommandFailure(
                .configuration,
                "Settings have no place, because neither XDG_CONFIG_HOME nor HOME is set. Set one of them, or pass --config FILE."
            )
        }
        return ConfigurationFile(url: url, namedBy: nil)
    }

    /// Sets a value, and keeps the comments and the order of the file. Creates the file if it is missing.
    ///
    /// - Throws: ``CommandFailure`` if the value is invalid, or does not fit the other settings. The file is then
    ///   unchanged.
    func set(_ leaf: SettingSchema.Leaf, to texts: [String], in composition: Composition) throws {
        let source = SettingSource.option(leaf.path.description)
        guard leaf.kind.value(of: texts) != nil else { throw SettingsReading.malformed(leaf, texts, at: source) }
        try OwnFile.change(url) {
            let text = try Self.status(of: url) == nil ? YAMLText(text: "", url: url) : text()
            let before = try settings(of: text)
            let new = YAMLText(text: try edited(text, leaf, texts), url: url)
            let after = try settings(of: new)
            guard
                Self.meaning(of: after)
                    == Self.meaning(of: before + [Setting(path: leaf.path, texts: texts, source: source)])
            else { throw notEditable(leaf) }
            // A problem with the new value is not one of the file, which stays as it is.
            let old = Set(before.map(\.path)).subtracting([leaf.path])
            let checked = after.map {
                old.contains($0.path) ? $0 : Setting(path: $0.path, texts: $0.texts, source: source)
            }
            _ = try SettingsReading(file: checked, options: [], in: composition).settings()
            return new.text
        }
    }

    private func edited(_ old: YAMLText, _ leaf: SettingSchema.Leaf, _ texts: [String]) throws -> String {
        let names = leaf.path.names
        do {
            return try YAMLEdit.setting(names, to: texts, isList: leaf.kind.isList, in: old, isJSON: isJSON) {
                key, index in
                // Header names are case-insensitive.
                index == 3 ? key.lowercased() == names[index].lowercased() : key == names[index]
            }
        } catch is YAMLEdit.Unsupported {
            throw notEditable(leaf)
        }
    }

    private func notEditable(_ leaf: SettingSchema.Leaf) -> CommandFailure {
        failure("\(leaf.path) is written in a form that only a person can change. Run: hablare config edit")
    }

    /// Returns the values of settings, without the places where they are set.
    private static func meaning(of settings: [Setting]) -> [SettingPath: [String]] {
        Dictionary(settings.compactMap { setting in setting.texts.map { (setting.path, $0) } }) { $1 }
    }

    func settings() throws -> [Setting] {
        try settings(of: try text())
    }

    /// Reads the settings in a text. The text is the content of the file, or will become its content.
    func settings(of yaml: YAMLText) throws -> [Setting] {
        if isJSON, !yaml.text.allSatisfy(\.isWhitespace),
            let fault = JSONFault(in: Data(yaml.text.utf8), takesLast: true)
        {
            throw failure(fault.sentence)
        }
        return try ConfigurationText(yaml: yaml).settings()
    }

    func text() throws -> YAMLText { try YAMLText(try read(), at: url) }

    var isJSON: Bool { url.pathExtension.lowercased() == "json" }

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

    /// Returns the status of the file at a path; `nil` if there is no file. A link that leads to no file is an error.
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
}
