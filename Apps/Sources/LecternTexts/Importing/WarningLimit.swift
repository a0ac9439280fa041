/// Limits the number of warnings of an import, since a damaged source could cause millions.
struct WarningLimit {
    /// The number of warnings that are passed on.
    var limit = 200
    private var count = 0

    /// Counts a warning. Returns it, or `nil` beyond the limit.
    mutating func warning(_ warning: TextImportWarning) -> TextImportWarning? {
        count += 1
        return count > limit ? nil : warning
    }

    /// The number of warnings that were not passed on, as a warning; `nil` if there are none.
    var summary: TextImportWarning? {
        guard count > limit else { return nil }
        return TextImportWarning(place: "", message: "There are \(count - limit) further warnings.")
    }
}
