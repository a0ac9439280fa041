import HablarePresentation

/// How far a person is.
struct SessionState: WebState, Hashable {
    let decided: Int
    let total: Int
    /// The decided share, as CSS takes it.
    let share: String
    let countText: String
    let percentText: String
    let rateText: String
    let estimateText: String
    let summaryText: String?

    /// Describes progress.
    ///
    /// - Parameters:
    ///   - decided: The number of decided photos.
    ///   - total: The number of photos.
    ///   - trashed: The number of photos in the trash.
    ///   - favourites: The number of favourites.
    ///   - kept: The number of photos that were kept.
    ///   - rate: The decisions a minute; `nil` before there are enough of them.
    ///   - remaining: The time to go at that rate; `nil` if it is not known.
    init(
        decided: Int, total: Int, trashed: Int, favourites: Int, kept: Int, rate: Double?, remaining: Duration?
    ) {
        self.decided = decided
        self.total = total
        share = Wording.share(decided, of: total)
        countText = total > 0 ? "\(Wording.number(decided)) of \(Wording.number(total))" : ""
        percentText = Wording.percent(decided, of: total)
        rateText = rate.map { $0 >= 0.5 ? "\(Wording.number(Int($0.rounded()))) a minute" : "" } ?? ""
        estimateText = decided < total ? remaining.map(Wording.left) ?? "" : ""
        summaryText =
            total > 0 && decided >= total
            ? "\(Wording.number(trashed)) in the trash · \(Wording.count(favourites, "favourite")) · "
                + "\(Wording.number(kept)) kept" : nil
    }
}
