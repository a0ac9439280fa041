/// Finds all that may be suggested about a library: bursts, and near-duplicates that are in no burst.
public struct AlikeFinder: Sendable {
    /// Finds bursts.
    public var bursts: BurstFinder
    /// Finds near-duplicates.
    public var duplicates: NearDuplicateFinder

    /// Creates a finder.
    public init(bursts: BurstFinder = BurstFinder(), duplicates: NearDuplicateFinder = NearDuplicateFinder()) {
        self.bursts = bursts
        self.duplicates = duplicates
    }

    /// Returns the suggestions, bursts first. Photos of brackets, panoramas and focus stacks are in none of them.
    public func suggestions(among photos: [AlikePhoto]) -> [AlikeGroup] {
        let series = bursts.series(among: photos)
        let found = bursts.bursts(among: photos)
        return found
            + duplicates.groups(among: photos, excluding: series.union(found.flatMap(\.photos)))
    }
}
