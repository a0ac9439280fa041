public import GRDB

extension PhotoStore {
    /// Returns the burst that a photo belongs to, in the order of time. It is found when the features of its photos are
    /// known. Empty if the photo stands alone.
    ///
    /// At most 100 photos are looked at, and none for a photo without a neighbour in time, as most photos are.
    public func burst(around photo: Photo, in db: Database) throws -> [Photo] {
        guard AlikePhoto(photo)?.captured != nil else { return [] }
        let finder = BurstFinder()
        let neighbours = Filter.taken(from: photo.time - finder.gap, before: (photo.time + finder.gap).nextUp)
        guard try count(of: photo.library, .every([.all, neighbours]), in: db) > 1 else { return [] }
        let near = Filter.taken(from: photo.time - 30, before: photo.time + 30)
        let around = try photos(of: photo.library, .every([.all, near]), limit: 100, in: db)
        let groups = finder.bursts(among: around.compactMap { AlikePhoto($0) })
        guard let group = groups.first(where: { $0.photos.contains(photo.id) }) else { return [] }
        return group.photos.compactMap { id in around.first { $0.id == id } }
    }
}
