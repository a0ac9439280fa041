import LecternCore

/// The bodies of Lectern's commands, as pages send them. Forms send every value as text.
enum LecternCommand {
    /// Has no fields.
    struct Nothing: Decodable, Sendable {}

    /// Names something, such as a mark or a text.
    struct Named: Decodable, Sendable {
        let name: String
    }

    /// Adds a highlight, a bookmark or a note.
    struct AddMark: Decodable, Sendable {
        let kind: String
        let text: String?
        let at: String?
        let colour: String?
        let style: String?
        let label: String?
        let note: String?
    }

    /// Saves the text of a note.
    struct SaveNote: Decodable, Sendable {
        let mark: String
        let note: String
        /// The version that the editor showed.
        let base: String?
    }

    /// Changes one field of a mark.
    struct SetMark: Decodable, Sendable {
        let mark: String
        let label: String?
        let colour: String?
        let style: String?
        let tag: String?
        let untag: String?
    }

    /// A person has read up to a verse, or has listened to it without the server.
    struct Read: Decodable, Sendable {
        let text: String
        let book: String
        let chapter: Int
        let verse: Int
        let device: String
        /// When, in milliseconds since 1970.
        let madeAt: Int64
        /// The kind of act. `nil` for reading.
        let kind: ReadingEvent.Kind?
    }

    /// Changes the settings. A checkbox that is off is not sent.
    struct Settings: Decodable, Sendable {
        let theme: String
        let size: String
        let spacing: String
        let numbers: String?
        let red: String?
        let paragraphs: String?
    }

    /// Begins a plan.
    struct BeginPlan: Decodable, Sendable {
        let template: String
        let text: String
    }

    /// Marks the passages of a day as read, or as not read.
    struct SetDone: Decodable, Sendable {
        let plan: String
        let portion: String
        let done: String
    }

    /// Makes a file of a text, or of a part of it, such as `John.3`.
    struct HandOut: Decodable, Sendable {
        let text: String
        let part: String
        let form: String
    }

    /// Imports a document of the person's data.
    struct Import: Decodable, Sendable {
        let document: String
    }

    /// Erases everything. The person has typed a word to confirm it.
    struct Erase: Decodable, Sendable {
        let confirm: String
    }
}
