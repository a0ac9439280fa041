public import Foundation

/// The request of a page or a view: a decision about a photo, with what the person saw.
public struct DecisionRequest: Sendable, Hashable {
    /// The decision's permanent id. The same id twice is one decision.
    public var id: UUID
    /// The photo.
    public var photo: PhotoID
    /// The version that was shown. Another one is refused.
    public var version: PhotoVersion
    /// The decision that was shown on the photo; nil for an undecided one. Another one is refused, because the photo
    /// was decided in another window.
    public var shownDecision: PhotoAction.Kind?
    /// The kind of the action to carry out.
    public var kind: PhotoAction.Kind
    /// For `favourite`: whether to set the mark. Default: true.
    public var isFavourite: Bool
    /// For `rating`: the number of stars, -1 for a rejected photo, nil to remove the rating.
    public var rating: Int?
    /// For `label`: the label; nil to remove it. At most 64 characters.
    public var label: String?

    /// Creates a request.
    public init(
        id: UUID = UUID(), photo: PhotoID, version: PhotoVersion, shownDecision: PhotoAction.Kind? = nil,
        kind: PhotoAction.Kind, isFavourite: Bool = true, rating: Int? = nil, label: String? = nil
    ) {
        self.id = id
        self.photo = photo
        self.version = version
        self.shownDecision = shownDecision
        self.kind = kind
        self.isFavourite = isFavourite
        self.rating = rating
        self.label = label
    }

    /// Creates a request about a photo as it is shown.
    public init(
        id: UUID = UUID(), _ photo: Photo, kind: PhotoAction.Kind, isFavourite: Bool = true, rating: Int? = nil,
        label: String? = nil
    ) {
        self.init(
            id: id, photo: photo.id, version: photo.version, shownDecision: photo.decision, kind: kind,
            isFavourite: isFavourite, rating: rating, label: label)
    }

    /// Returns the marks after the decision.
    func marks(from before: PhotoMarks) throws(PhotoProcessingError) -> PhotoMarks {
        var marks = before
        switch kind {
        case .favourite: marks.isFavourite = isFavourite
        case .rating:
            guard rating.map({ (-1...5).contains($0) }) ?? true else { throw PhotoProcessingError(.unknownAction) }
            marks.rating = rating
        case .label:
            guard (label?.count ?? 1) <= 64, label?.isEmpty != true else {
                throw PhotoProcessingError(.unknownAction)
            }
            marks.label = label
        default: break
        }
        return marks
    }
}
