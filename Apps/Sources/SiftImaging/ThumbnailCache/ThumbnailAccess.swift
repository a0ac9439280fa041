/// One photo's place in the thumbnail cache.
struct ThumbnailAccess: Sendable {
    enum Finding: Sendable {
        case nothing
        /// The descriptor of a current thumbnail, which the caller closes.
        case picture(Int32)
        /// The photo is known to be undecodable.
        case failure(String)
    }

    let cache: ThumbnailCache
    let key: ThumbnailCache.Key
    let size: ThumbnailCache.Size

    func find() -> Finding {
        if let file = cache.open(key, size) { return .picture(file) }
        return cache.hasFailure(key) ? .failure("the thumbnail cache knows that it cannot be decoded") : .nothing
    }

    func store(_ png: [UInt8]) { cache.store(png, key, size) }

    func storeFailure() { cache.storeFailure(key) }
}
