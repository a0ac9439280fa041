import Hablare
import HablareLoading
import HablarePersistence
import HablarePresentation

extension PhotoSwipeViewModel {
    func photo(_ id: PhotoID) async throws -> Photo? {
        try await database.read { [photos] db in try photos.photo(id, in: db) }
    }

    /// A photo is settled, gone or another one: it is not shown any more.
    func leave(_ id: PhotoID) async {
        queue.removeAll { $0.id == id }
        let isCurrent = currentPhoto?.id == id
        if isCurrent { showNext() }
        if queue.count < Self.preloaded {
            await attempt { [self] in try await fill() }
            if currentPhoto == nil { showNext() }
        }
    }

    /// An undo brings a photo back. The current one comes after it.
    func goBack(to photo: Photo) {
        guard currentPhoto?.id != photo.id else { return }
        queue.removeAll { $0.id == photo.id }
        if let currentPhoto { queue.insert(currentPhoto, at: 0) }
        show(photo)
    }

    /// Reads undecided photos from the store until enough of them are known.
    func fill() async throws {
        let known = Set(queue.map(\.id) + [currentPhoto?.id].compactMap { $0 })
        let (library, filter) = (library, filter)
        let limit = Self.ahead + known.count
        let found = try await database.read { [photos] db in
            try photos.photos(of: library, filter, limit: limit, in: db)
        }
        // A filter that was set meanwhile reads its own photos.
        guard filter == self.filter else { return }
        // Photos that were added meanwhile are known too.
        let now = Set(queue.map(\.id) + [currentPhoto?.id].compactMap { $0 })
        queue += found.filter { !now.contains($0.id) }.prefix(max(0, Self.ahead - queue.count))
        // Without a current photo, the first of the queue is shown next. Its picture is not one of those ahead.
        if currentPhoto != nil { startPreload() }
    }

    func showNext() {
        guard queue.isEmpty else { return show(queue.removeFirst()) }
        currentPhoto = nil
        picture = nil
        pictureError = nil
        isLoading = false
        loadSlot.cancel()
        endLeftPreload()
        preload?.cancel()
        preload = nil
    }

    func show(_ photo: Photo) {
        currentPhoto = photo
        endLeftPreload()
        // A preload may be loading the picture. Ending it now would cancel that load, and start it again.
        (leftPreload, preload) = (preload, nil)
        startLoad(of: photo)
        startPreload()
        if !isLoading { endLeftPreload() }
    }

    func endLeftPreload() {
        leftPreload?.cancel()
        leftPreload = nil
    }

    /// Sets the size of the pictures, from the next one that is loaded on. If none was loaded yet, that of the current
    /// photo is.
    public func show(pictures size: RenditionSize) {
        let isFirst = pictureSize == nil
        pictureSize = size
        guard isFirst, let currentPhoto else { return }
        startLoad(of: currentPhoto)
        startPreload()
    }

    private func startLoad(of photo: Photo) {
        picture = pictureSize.flatMap {
            loader.cached(PhotoLoader.Key(photo: photo.id, version: photo.version, size: $0))
        }
        pictureError = nil
        isLoading = picture == nil && pictureSize != nil
        if isLoading, let pictureSize {
            loadSlot.replace { [weak self] in await self?.loadPicture(of: photo, pictureSize) }
        } else {
            loadSlot.cancel()
        }
    }

    private func startPreload() {
        guard loadsAhead, let pictureSize else { return }
        let next = loader.preload(queue.prefix(Self.preloaded), pictureSize)
        preload?.cancel()
        preload = next
    }

    /// Loads the picture of the current photo. Tries again while it needs the network.
    private func loadPicture(of photo: Photo, _ size: RenditionSize) async {
        if loadsAhead, photo.header?.hasEmbeddedThumbnail == true {
            do {
                let first = try await loader.rendition(of: photo, .embedded)
                if currentPhoto?.id == photo.id, picture == nil { picture = first }
            } catch {
                // The card comes anyway.
            }
        }
        while !Task.isCancelled {
            do {
                let card = try await loader.rendition(of: photo, size)
                guard currentPhoto?.id == photo.id, !Task.isCancelled else { return }
                (picture, pictureError, isLoading) = (card, nil, false)
                endLeftPreload()
                return
            } catch {
                guard currentPhoto?.id == photo.id, !(error is CancellationError) else { return }
                endLeftPreload()
                let failure = Self.words(for: error)
                pictureError = failure
                guard failure.code == .needsNetwork || failure.code == .notAnswering else {
                    isLoading = false
                    return
                }
                do { try await clock.sleep(for: Interval.networkRetry) } catch { return }
            }
        }
    }
}
