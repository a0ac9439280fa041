import Foundation

/// The description of a SWORD module, from its `.conf` file.
struct SwordModule: Equatable {
    /// A kind of module.
    enum Kind: Equatable { case bible, commentary, dictionary, book, unknown }

    /// The values by their key, in lower case. Of a key that occurs twice, the first value.
    let values: [String: String]

    /// Parses the part of a `.conf` file that describes the module `name`; `nil` if there is none.
    init?(_ configuration: String, name: String) {
        var values: [String: String] = [:]
        var isPart = false
        var wasFound = false
        var continued: String?
        for line in configuration.split(whereSeparator: \.isNewline) {
            let text = line.drop(while: \.isWhitespace)
            if let key = continued {
                continued = nil
                if isPart, values[key]?.utf8.count ?? 0 < 1 << 16 { values[key]? += " " + text }
            } else if text.first == "[", let end = text.firstIndex(of: "]") {
                isPart = text[text.index(after: text.startIndex)..<end].lowercased() == name.lowercased()
                wasFound = wasFound || isPart
            } else if isPart, text.first != "#", let equals = text.firstIndex(of: "=") {
                let key = text[..<equals].lowercased()
                if values[key] == nil { values[key] = String(text[text.index(after: equals)...]) }
                if text.last == "\\" { continued = key }
            }
        }
        guard wasFound else { return nil }
        self.values = values
    }

    /// The kind, by the driver that reads it.
    var kind: Kind {
        switch values["moddrv"]?.lowercased() ?? "" {
        case "ztext", "ztext4", "rawtext", "rawtext4": .bible
        case "zcom", "zcom4", "rawcom", "rawcom4", "hrefcom", "rawfiles": .commentary
        case "rawld", "rawld4", "zld": .dictionary
        case "rawgenbook": .book
        default: .unknown
        }
    }

    /// Adds to a description what the module says, where it says nothing yet.
    func describe(_ text: TextDescription) -> TextDescription {
        var text = text
        if text.title.isEmpty { text.title = values["description"] ?? text.abbreviation }
        if text.abbreviation.isEmpty { text.abbreviation = values["abbreviation"] ?? text.title }
        if text.language == "und" { text.language = ScriptureLanguage.tag(values["lang"] ?? "") }
        if text.versification.isEmpty { text.versification = (values["versification"] ?? "KJV").uppercased() }
        if text.rights.isEmpty {
            var lines: [String] = []
            for key in ["copyright", "distributionlicense"] {
                if let value = values[key], !value.isEmpty, !lines.contains(where: { $0.lowercased() == value.lowercased() }) {
                    lines.append(value)
                }
            }
            text.rights = lines.joined(separator: "\n")
        }
        text.direction =
            values["direction"]?.lowercased() == "rtol" ? .rightToLeft : ScriptureLanguage.direction(text.language)
        return text
    }

    /// Finds the description of an installed module, where SWORD looks for it; `nil` if there is none.
    static func find(_ name: String, environment: [String: String]) -> SwordModule? {
        var folders = [environment["SWORD_PATH"], environment["HOME"].map { $0 + "/.sword" }].compactMap { $0 }
        folders += ["/usr/share/sword", "/usr/local/share/sword", "/opt/homebrew/share/sword"]
        for folder in folders {
            let path = folder + "/mods.d"
            guard FileManager.default.fileExists(atPath: path) else { continue }
            let names: [String]
            do { names = try FileManager.default.contentsOfDirectory(atPath: path) } catch { continue }
            for file in names.sorted() where file.lowercased().hasSuffix(".conf") {
                guard let data = FileManager.default.contents(atPath: path + "/" + file), data.count < 1 << 20 else {
                    continue
                }
                if let module = SwordModule(String(decoding: data, as: UTF8.self), name: name) { return module }
            }
        }
        return nil
    }
}
