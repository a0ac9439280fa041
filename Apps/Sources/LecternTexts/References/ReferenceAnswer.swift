/// The result of reading a reference that a person typed.
public enum ReferenceAnswer: Hashable, Sendable {
    /// The passages. All exist in the text.
    case found([Reference])
    /// The text can be read in several ways, and each of them exists. The likeliest is first.
    case ambiguous([[Reference]])
    /// The text is a reference, but the passages do not exist. The nearest that do, likeliest first; empty if there is
    /// none, such as for a book that the text lacks.
    case missing(nearest: [[Reference]])
    /// The text is no reference. Search for it.
    case notAReference
}
