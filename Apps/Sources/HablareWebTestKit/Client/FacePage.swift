public import HTTPTypes

/// A page as a person without scripts uses it: text, links and forms.
public struct FacePage: Sendable {
    /// The source.
    public let html: String
    /// The text that is shown, with single spaces.
    public let text: String
    /// The addresses of the links by their text. The first of several links with one text counts.
    public let links: [String: String]
    /// The forms, in the order of the page.
    public let forms: [FaceForm]

    /// Reads a page.
    public init(html: String) {
        var reader = PageReader()
        reader.read(html)
        self.html = html
        text = reader.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        links = reader.links
        forms = reader.forms
    }

    /// Returns the form that a button sends, with the button's own value.
    ///
    /// - Parameter name: The button's text, its `aria-label` or its value.
    /// - Throws: ``FaceClientError`` if there is no such button in a form.
    public func form(withButton name: String) throws -> FaceForm {
        for form in forms {
            guard let button = form.buttons.first(where: { $0.label == name }) else { continue }
            var form = form
            if let field = button.name { form.fields[field] = button.value }
            return form
        }
        throw FaceClientError("The page has no button '\(name)' in a form.")
    }
}

/// A form of a page.
public struct FaceForm: Sendable, Hashable {
    /// A button that sends the form.
    public struct Button: Sendable, Hashable {
        /// The name that a person knows it by.
        public var label: String
        /// The name of its field, if it has one.
        public var name: String?
        /// The value of its field.
        public var value = ""
    }

    /// The address.
    public var action: String
    /// The method.
    public var method: HTTPRequest.Method
    /// The values of the fields, by name.
    public var fields: [String: String] = [:]
    /// The buttons.
    public var buttons: [Button] = []
}
