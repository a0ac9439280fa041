import LecternCore

/// A command to the player, as pages send it.
struct ListenCommand: Decodable, Sendable {
    /// The acts of a person.
    enum Act: String, Decodable, Sendable {
        /// Plays from a place, or plays a range.
        case play
        /// Goes on where this device stopped, or begins at the place if it never listened to the text.
        case goOn
        case pause, resume, nextVerse, previousVerse, nextChapter, skip, speed
        /// Sets the sleep timer: to minutes, off with 0 minutes, or to the end of the chapter without minutes.
        case sleep
        case stopAtBookEnd
        /// The page that plays is closed: pauses, unless another page plays.
        case leave
    }

    let act: Act
    /// The id of the device, whose position is recorded.
    let device: String
    /// The id of the page, which plays the sound if it asks for one.
    let page: String
    var text: String?
    /// A place, such as `John.3` or `John.3.16-John.3.18`.
    var at: String?
    var isRange: Bool?
    var repeats: Bool?
    var seconds: Int?
    var speed: Double?
    var minutes: Int?
    var isOn: Bool?

    /// Returns a value that the act needs.
    func required<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw PersonalDataError(.invalid, "The command is not complete. Reload the page.") }
        return value
    }
}

extension LecternCommand {
    /// A page plays at a place of a sound.
    struct Heard: Decodable, Sendable {
        let sound: Int
        let milliseconds: Int
    }

    /// A page has played a sound to its end.
    struct Ended: Decodable, Sendable {
        let sound: Int
    }
}
