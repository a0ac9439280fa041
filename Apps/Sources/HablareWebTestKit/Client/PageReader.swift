import Foundation
import HTTPTypes

/// Reads the parts of a page that a person without scripts uses. It reads the markup that our templates write, not every
/// page of the web.
struct PageReader {
    private(set) var text = ""
    private(set) var links: [String: String] = [:]
    private(set) var forms: [FaceForm] = []

    private var isInForm = false
    private var hidden: String?
    private var link: (address: String, start: String.Index)?
    private var button: (button: FaceForm.Button, start: String.Index)?
    private var textarea: (name: String, start: String.Index)?
    private var select: String?

    mutating func read(_ html: String) {
        var rest = html[...]
        while let start = rest.firstIndex(of: "<") {
            append(rest[..<start])
            rest = rest[start...].dropFirst()
            if rest.hasPrefix("!--") {
                rest = rest.range(of: "-->").map { rest[$0.upperBound...] } ?? ""
                continue
            }
            var tag = Tag()
            rest = tag.read(rest)
            if tag.isEnd { end(of: tag.name) } else { begin(tag) }
        }
        append(rest)
    }

    private mutating func append(_ part: Substring) {
        if hidden == nil { text += Tag.unescaped(part) }
    }

    private mutating func begin(_ tag: Tag) {
        switch tag.name {
        case "script", "style", "template", "title": hidden = hidden ?? tag.name
        case "a": link = tag["href"].map { ($0, text.endIndex) }
        case "form":
            isInForm = true
            let isPost = tag["method"]?.lowercased() == "post"
            forms.append(FaceForm(action: tag["action"] ?? "", method: isPost ? .post : .get))
        case "input": input(tag)
        case "textarea": textarea = tag["name"].map { ($0, text.endIndex) }
        case "select": select = tag["name"]
        case "option":
            if let select, let value = tag["value"], tag["selected"] != nil || field(select) == nil {
                set(select, value)
            }
        case "button":
            let isSubmit = (tag["type"] ?? "submit") == "submit" && tag["disabled"] == nil
            let label = tag["aria-label"] ?? ""
            button =
                isSubmit
                ? (FaceForm.Button(label: label, name: tag["name"], value: tag["value"] ?? ""), text.endIndex) : nil
            if tag["aria-label"] != nil, let button { add(button.button) }
        default: text += " "
        }
    }

    private mutating func end(of name: String) {
        if name == hidden { hidden = nil }
        switch name {
        case "a":
            if let link { links[words(from: link.start)] = links[words(from: link.start)] ?? link.address }
            link = nil
        case "form": isInForm = false
        case "textarea":
            if let textarea { set(textarea.name, String(text[textarea.start...])) }
            textarea = nil
        case "select": select = nil
        case "button":
            if var button, button.button.label.isEmpty {
                button.button.label = words(from: button.start)
                add(button.button)
            }
            button = nil
        default: text += " "
        }
    }

    private mutating func input(_ tag: Tag) {
        switch tag["type"]?.lowercased() {
        case "submit": add(FaceForm.Button(label: tag["value"] ?? "", name: tag["name"], value: tag["value"] ?? ""))
        case "checkbox", "radio":
            if tag["checked"] != nil, let name = tag["name"] { set(name, tag["value"] ?? "on") }
        default:
            if let name = tag["name"] { set(name, tag["value"] ?? "") }
        }
    }

    private func words(from start: String.Index) -> String {
        text[start...].split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private func field(_ name: String) -> String? { isInForm ? forms.last?.fields[name] : nil }

    private mutating func set(_ name: String, _ value: String) {
        if isInForm, !forms.isEmpty { forms[forms.count - 1].fields[name] = value }
    }

    private mutating func add(_ button: FaceForm.Button) {
        if isInForm, !forms.isEmpty { forms[forms.count - 1].buttons.append(button) }
    }
}

extension PageReader {
    /// A tag with its attributes.
    struct Tag {
        private(set) var name = ""
        private(set) var isEnd = false
        private var attributes: [String: String] = [:]

        subscript(_ attribute: String) -> String? { attributes[attribute] }

        /// Reads a tag after its `<`, and returns what follows it.
        mutating func read(_ text: Substring) -> Substring {
            var rest = text
            if rest.first == "/" {
                isEnd = true
                rest = rest.dropFirst()
            }
            name = Self.word(&rest).lowercased()
            while true {
                rest = rest.drop { $0.isWhitespace || $0 == "/" }
                guard let next = rest.first, next != ">" else { return rest.dropFirst() }
                let attribute = Self.word(&rest).lowercased()
                guard rest.first == "=" else {
                    if attribute.isEmpty { rest = rest.dropFirst() } else { attributes[attribute] = "" }
                    continue
                }
                rest = rest.dropFirst()
                attributes[attribute] = Self.unescaped(Self.value(&rest))
            }
        }

        private static func word(_ rest: inout Substring) -> Substring {
            let word = rest.prefix { !$0.isWhitespace && $0 != "=" && $0 != ">" && $0 != "/" }
            rest = rest[word.endIndex...]
            return word
        }

        private static func value(_ rest: inout Substring) -> Substring {
            guard let quote = rest.first, quote == "\"" || quote == "'" else { return word(&rest) }
            let value = rest.dropFirst().prefix { $0 != quote }
            rest = rest[value.endIndex...].dropFirst()
            return value
        }

        static func unescaped(_ text: Substring) -> String {
            var result = String(text)
            for (entity, character) in [
                ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"),
            ] {
                result = result.replacing(entity, with: character)
            }
            return result
        }
    }
}
