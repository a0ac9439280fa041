import Foundation
import HTTPTypes
import HablareWeb
import SiftCore

/// The bodies of Sift's commands, as pages send them. Forms send every value as text.
enum SiftCommand {
    /// Decides a photo.
    struct Decide: Decodable, Sendable {
        let photo: String
        let version: String
        let action: String
        /// The decision that was shown on the photo. Empty for an undecided one.
        let shown: String?
    }

    /// The answer that the page gets back.
    struct Decided: Encodable, Sendable {
        let action: String
    }

    /// Sets the number of stars.
    struct Rate: Decodable, Sendable {
        let photo: String
        let version: String
        let rating: String
    }

    /// Sets the colour label.
    struct Label: Decodable, Sendable {
        let photo: String
        let version: String
        /// The colour. Empty to remove the label.
        let label: String
    }

    /// Trashes the photos that a person has marked, as one step.
    struct TrashMarked: Decodable, Sendable {
        /// Each photo and its version, joined by a slash. Missing if none is marked.
        let photos: [String]?
    }

    /// Narrows the card to a selection.
    struct Select: Decodable, Sendable {
        /// The query of the page that lists the selection. Empty for all photos.
        let query: String
    }

    /// Opens a library.
    struct OpenLibrary: Decodable, Sendable {
        let library: String
    }

    /// Keeps one photo of a burst and trashes those that are undecided.
    struct Settle: Decodable, Sendable {
        let photo: String
        let version: String
        /// The decision that was shown on the photo. Empty for an undecided one.
        let shown: String?
        /// The photos to trash: each photo and its version joined by a slash, with spaces between them.
        let rest: String
    }

    /// Names a decision.
    struct Past: Decodable, Sendable {
        let decision: String
    }

    /// Names a photo.
    struct Show: Decodable, Sendable {
        let photo: String
    }

    /// Has no fields.
    struct Nothing: Decodable, Sendable {}

    /// Sets the directions on the first page.
    struct Start: Decodable, Sendable {
        let left: Choice
        let up: Choice
        let right: Choice
    }

    /// Changes settings. A checkbox that is off is not sent.
    struct Settings: Decodable, Sendable {
        let left: Choice
        let up: Choice
        let right: Choice
        let theme: SiftSettings.Theme
        let commitMode: SiftSettings.CommitMode
        let writesSidecars: String?
    }

    /// Gives an action a key.
    struct SetKey: Decodable, Sendable {
        let action: String
        let key: String
    }
}

extension SiftCommand.Decide {
    /// Returns the decision, or throws a problem if the page sent something that no page of ours sends.
    func request(_ id: UUID) throws -> DecisionRequest {
        guard let choice = Choice(rawValue: action) else { throw PhotoProcessingError(.unknownAction) }
        return DecisionRequest(
            id: id, photo: try SiftCommand.photo(photo), version: try SiftCommand.version(version),
            shownDecision: SiftCommand.shown(shown), kind: PhotoAction.Kind(rawValue: choice.rawValue))
    }
}

extension SiftCommand.Settle {
    /// Returns the decisions about the photos that the page showed. The kept photo is decided last, so that undo begins
    /// with it.
    func requests(_ id: UUID) throws -> [DecisionRequest] {
        let trashed = try SiftCommand.trashing(rest.split(separator: " ").map(String.init), id)
        let kept = DecisionRequest(
            id: SiftCommand.part(trashed.count, of: id), photo: try SiftCommand.photo(photo),
            version: try SiftCommand.version(version), shownDecision: SiftCommand.shown(shown), kind: .keep)
        return trashed + [kept]
    }
}

extension SiftCommand.TrashMarked {
    /// Returns the decisions, or throws a problem if no photo is marked.
    func requests(_ id: UUID) throws -> [DecisionRequest] {
        let photos = photos ?? []
        guard !photos.isEmpty else {
            throw FaceProblem(
                .unprocessableContent, code: "nothingMarked", title: "No photo is marked",
                detail: "Mark the photos that shall go to the trash first.")
        }
        return try SiftCommand.trashing(photos, id)
    }
}

extension SiftCommand {
    /// Returns the decisions that trash photos.
    ///
    /// - Parameters:
    ///   - photos: Each photo and its version, joined by a slash.
    ///   - id: The id of the command. The decisions have parts of it.
    static func trashing(_ photos: [String], _ id: UUID) throws -> [DecisionRequest] {
        try photos.enumerated().map { place, text in
            let parts = text.split(separator: "/", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw PhotoProcessingError(.photoGone) }
            return DecisionRequest(
                id: part(place, of: id), photo: try photo(parts[0]), version: try version(parts[1]), kind: .trash)
        }
    }

    static func shown(_ decision: String?) -> PhotoAction.Kind? {
        decision.flatMap { $0.isEmpty ? nil : PhotoAction.Kind(rawValue: $0) }
    }

    static func photo(_ text: String) throws -> PhotoID {
        guard let id = PhotoID(text) else { throw PhotoProcessingError(.photoGone) }
        return id
    }

    static func version(_ text: String) throws -> PhotoVersion {
        guard let version = PhotoAddress.version(text) else { throw PhotoProcessingError(.photoChanged) }
        return version
    }

    static func decision(_ text: String) throws -> UUID {
        guard let id = UUID(uuidString: text) else { throw PhotoProcessingError(.nothingToUndo) }
        return id
    }

    /// Returns the id of one of several decisions of one command, so that a repeated command names the same.
    ///
    /// The last bytes stay as they are: the core counts the executions of a decision there.
    static func part(_ place: Int, of id: UUID) -> UUID {
        var bytes = id.uuid
        bytes.10 ^= UInt8(truncatingIfNeeded: place)
        bytes.9 ^= UInt8(truncatingIfNeeded: place >> 8)
        return UUID(uuid: bytes)
    }
}
