/// Finds photos that look the same, however far apart they were taken.
///
/// Two stages, as the hashes of ImageHash allow: photos are candidates if their 64-bit hashes differ in at most
/// ``coarse`` bits, and alike if their 256-bit hashes differ in at most ``fine`` bits and their aspect ratios are
/// equal. Every pair counts. A group holds all photos that are joined by pairs.
///
/// The time is bounded, for 50,000 photos to about 0.2 s. Among more than 5,000 photos that have nearly the same hash
/// and are not alike, such as frames of noise, pairs may be missed. Photos with equal hashes are always found.
public struct NearDuplicateFinder: Sendable {
    /// The largest distance of two 64-bit hashes, 0 to 7. Default: 5.
    public let coarse: Int
    /// The largest distance of two 256-bit hashes. Default: 20.
    public let fine: Int

    /// Creates a finder.
    ///
    /// - Parameters:
    ///   - coarse: The largest distance of two 64-bit hashes. Limited to 0 to 7, because the index finds no others.
    ///   - fine: The largest distance of two 256-bit hashes.
    public init(coarse: Int = 5, fine: Int = 20) {
        self.coarse = min(max(coarse, 0), 7)
        self.fine = max(fine, 0)
    }

    /// Returns whether two photos have the same aspect ratio, to 2 %. A photo without a size has none.
    static func haveEqualAspect(_ first: AlikePhoto, _ second: AlikePhoto) -> Bool {
        haveEqualAspect((first.width, first.height), (second.width, second.height))
    }

    static func haveEqualAspect(
        _ first: (width: Int, height: Int), _ second: (width: Int, height: Int)
    ) -> Bool {
        let left = Double(first.width) * Double(second.height)
        let right = Double(second.width) * Double(first.height)
        return left > 0 && right > 0 && abs(left - right) <= 0.02 * max(left, right)
    }

    /// Returns the groups of near-duplicates, in the order of their first photos' ids.
    ///
    /// - Parameters:
    ///   - photos: The photos.
    ///   - excluded: Photos that are never offered, such as those of brackets, panoramas and focus stacks.
    public func groups(among photos: [AlikePhoto], excluding excluded: Set<PhotoID> = []) -> [AlikeGroup] {
        let photos = photos.filter { !excluded.contains($0.id) }.sorted { $0.id < $1.id }
        var search = NearDuplicateSearch(photos, coarse: coarse, fine: fine)
        return search.groups().map { members in
            AlikeGroup(reason: .nearDuplicate, photos: members.map { photos[$0].id }, bySharpness: [])
        }
    }
}
