import Foundation

/// Checks the text of a template, and replaces its `{{asset PATH}}` and `{{slot NAME}}` tags.
struct TemplateLint {
    let name: String
    /// The names of all templates.
    let templates: Set<String>
    /// Returns the address of an asset.
    let address: (String) -> String?
    /// Returns the text that holds the place of a slot.
    let slot: (String) -> String
    private(set) var faults: [String] = []

    init(
        name: String, templates: Set<String>, address: @escaping (String) -> String?,
        slot: @escaping (String) -> String = { "{{slot \($0)}}" }
    ) {
        self.slot = slot
        self.name = name
        self.templates = templates
        self.address = address
    }

    /// Reports the faults of a text, and returns it with the addresses of assets.
    mutating func check(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        var markup = Markup()
        while let start = rest.range(of: "{{") {
            markup.read(rest[..<start.lowerBound])
            result += rest[..<start.lowerBound]
            let after = rest[start.upperBound...]
            guard let end = after.range(of: "}}") else {
                report("A tag has no end: \(after.prefix(20))")
                return result
            }
            let tag = after[..<end.lowerBound].trimmingCharacters(in: .whitespaces)
            result += replacement(of: tag, in: markup)
            rest = after[end.upperBound...]
        }
        markup.read(rest)
        faults += markup.faults.map { "\(name): \($0)" }
        return result + rest
    }

    private mutating func replacement(of tag: String, in markup: Markup) -> String {
        if tag.hasPrefix("asset ") {
            let path = tag.dropFirst(6).trimmingCharacters(in: .whitespaces)
            if let address = address(path) { return address }
            report("There is no asset '\(path)'.")
        }
        if tag.hasPrefix("slot ") {
            if markup.isInsideTag { report("{{\(tag)}} stands in a tag. Put it between elements.") }
            return slot(tag.dropFirst(5).trimmingCharacters(in: .whitespaces))
        }
        switch tag.first {
        case "{", "&": report("{{\(tag)}} is not escaped. Use {{ }} only.")
        case "=", "%": report("{{\(tag)}} changes the rules of escaping. Leave it out.")
        case ">", "<":
            let partial = tag.dropFirst().trimmingCharacters(in: .whitespaces)
            if !templates.contains(partial) { report("There is no template '\(partial)'.") }
        case "#", "^", "/", "$", "!": break
        default:
            if markup.isInsideTagOutsideQuotes { report("{{\(tag)}} stands in a tag without quotes around it.") }
        }
        return "{{\(tag)}}"
    }

    private mutating func report(_ fault: String) { faults.append("\(name): \(fault)") }
}

extension TemplateLint {
    /// A reader of markup that knows only what the checks need: tags, quotes and the names of attributes.
    struct Markup {
        private(set) var faults: [String] = []
        private(set) var isInsideTag = false
        private var quote: Character?
        private var tag = ""

        /// Whether the reader is inside a tag, but not inside a quoted value.
        var isInsideTagOutsideQuotes: Bool { isInsideTag && quote == nil }

        /// Reads on.
        mutating func read(_ text: Substring) {
            for character in text {
                if !isInsideTag {
                    if character == "<" { (isInsideTag, tag) = (true, "") }
                } else if tag.isEmpty, quote == nil, !character.isLetter, character != "/", character != "!" {
                    isInsideTag = false  // a sign in text, such as `a < b`
                } else if let open = quote {
                    if character == open { quote = nil }
                } else if character == "\"" || character == "'" {
                    quote = character
                } else if character == ">" {
                    isInsideTag = false
                    check()
                } else {
                    tag.append(character)
                }
            }
        }

        /// Checks the names in the tag that ended. Quoted values are not part of `tag`.
        private mutating func check() {
            let words = tag.lowercased().split { $0 == "=" || $0.isWhitespace }
            guard let element = words.first else { return }
            if element == "style" { faults.append("<style> is not allowed. Write a style sheet.") }
            if element == "script", !words.contains("src") { faults.append("A script needs 'src'. Write a module.") }
            for word in words.dropFirst() where word == "style" || word == "srcdoc" || isHandler(word) {
                faults.append("The attribute '\(word)' is not allowed.")
            }
        }

        private func isHandler(_ word: Substring) -> Bool {
            word.hasPrefix("on") && word.dropFirst(2).allSatisfy(\.isLetter)
        }
    }
}
