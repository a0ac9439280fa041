import HablarePresentation

/// The folder of photos.
struct LibraryState: WebState, Hashable {
    /// A notice about the folder that a person should see.
    struct Notice: Encodable, Sendable, Hashable {
        let title: String
        let advice: String
    }

    let name: String
    let foundText: String
    let notice: Notice?
    /// Whether there are other libraries to open.
    let isOneOfSeveral: Bool

    /// Describes a library.
    ///
    /// - Parameters:
    ///   - name: The folder's name for a person.
    ///   - found: The number of photos.
    ///   - isScanning: Whether a scan runs.
    ///   - notice: The notice that a person should see.
    ///   - isOneOfSeveral: Whether there are other libraries to open.
    init(name: String, found: Int, isScanning: Bool, notice: Notice? = nil, isOneOfSeveral: Bool = false) {
        self.isOneOfSeveral = isOneOfSeveral
        self.name = name
        let photos = "\(Wording.count(found, "photo"))"
        foundText =
            isScanning ? "Sift has found \(photos) in \(name) so far." : "Sift found \(photos) in \(name)."
        self.notice =
            notice
            ?? (isScanning
                ? Notice(title: "Looking for photos.", advice: "\(photos) so far. You can already decide.") : nil)
    }
}
