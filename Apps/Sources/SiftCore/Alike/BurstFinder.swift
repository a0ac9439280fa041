/// Finds bursts: photos of one camera that were taken one right after the other.
///
/// A burst is a chain of neighbours in time, each at most ``gap`` after the one before it. It has no buckets and no
/// largest length. Series whose photos belong together (exposure brackets, focus stacks, panoramas) are left out.
public struct BurstFinder: Sendable {
    /// The largest time between two neighbours in seconds. Default: 1.
    public var gap: Double
    /// The largest distance of two neighbours' 64-bit hashes. Neighbours further apart show different scenes, or are
    /// steps of a panorama. Default: 20.
    public var distance: Int

    /// Creates a finder.
    public init(gap: Double = 1, distance: Int = 20) {
        self.gap = gap
        self.distance = distance
    }

    /// Returns the bursts among photos, in the order of time. Photos without a time belong to none.
    public func bursts(among photos: [AlikePhoto]) -> [AlikeGroup] {
        var bursts: [(time: Double, group: AlikeGroup)] = []
        for chain in chains(among: photos) where !Self.belongsTogether(chain) {
            for part in parts(chain) where part.count > 1 {
                let bySharpness = part.sorted { ($1.features.sharpness, $0.id) < ($0.features.sharpness, $1.id) }
                let group = AlikeGroup(
                    reason: .burst, photos: part.map(\.id), bySharpness: bySharpness.map(\.id))
                bursts.append((part[0].captured ?? 0, group))
            }
        }
        return bursts.sorted { ($0.time, $0.group.photos[0]) < ($1.time, $1.group.photos[0]) }.map(\.group)
    }

    /// Returns the photos that belong to a bracket, a focus stack or a panorama.
    public func series(among photos: [AlikePhoto]) -> Set<PhotoID> {
        Set(chains(among: photos).filter(Self.belongsTogether).flatMap { $0.map(\.id) })
    }

    /// Returns the chains of two or more neighbours in time, of one camera each.
    private func chains(among photos: [AlikePhoto]) -> [[AlikePhoto]] {
        let byCamera = Dictionary(grouping: photos.filter { $0.captured?.isFinite == true }) { $0.camera }
        return byCamera.values.flatMap { photos in
            let sorted = photos.sorted { ($0.captured ?? 0, $0.id) < ($1.captured ?? 0, $1.id) }
            return split(sorted) { before, after in
                guard let first = before.captured, let second = after.captured else { return false }
                return second - first <= gap
            }
        }
        .filter { $0.count > 1 }
    }

    /// Returns the parts of a chain in which neighbours show the same scene.
    private func parts(_ chain: [AlikePhoto]) -> [[AlikePhoto]] {
        split(chain) { before, after in
            NearDuplicateFinder.haveEqualAspect(before, after)
                && before.features.hash64.distance(to: after.features.hash64) <= distance
        }
    }

    private func split(_ photos: [AlikePhoto], joins: (AlikePhoto, AlikePhoto) -> Bool) -> [[AlikePhoto]] {
        var parts: [[AlikePhoto]] = []
        for photo in photos {
            if let last = parts.last?.last, joins(last, photo) {
                parts[parts.count - 1].append(photo)
            } else {
                parts.append([photo])
            }
        }
        return parts
    }

    /// Returns whether photos of one chain are a bracket, a focus stack or a panorama, of which none is superfluous.
    static func belongsTogether(_ chain: [AlikePhoto]) -> Bool {
        isBracket(chain) || isFocusStack(chain) || isPanorama(chain)
    }

    /// The camera says so, or neighbours differ in their exposure compensation, or the exposure itself differs by a
    /// third of a stop or more at the same compensation in manual mode.
    private static func isBracket(_ chain: [AlikePhoto]) -> Bool {
        if chain.contains(where: { $0.exposure.mode == 2 }) { return true }
        if Set(chain.compactMap(\.exposure.bias)).count > 1 { return true }
        guard chain.allSatisfy({ $0.exposure.mode == 1 }) else { return false }
        let times = chain.compactMap(\.exposure.seconds).filter { $0 > 0 }
        guard let least = times.min(), let most = times.max() else { return false }
        return most / least >= 1.25
    }

    /// The distance of the subject grows or shrinks from each photo to the next, three times or more.
    private static func isFocusStack(_ chain: [AlikePhoto]) -> Bool {
        let distances = chain.compactMap(\.exposure.subjectDistance)
        guard distances.count == chain.count, chain.count >= 3 else { return false }
        let steps = zip(distances, distances.dropFirst())
        return steps.allSatisfy { $0 < $1 } || steps.allSatisfy { $0 > $1 }
    }

    /// Neighbours differ, with the same fixed exposure: the camera was turned. Three photos or more.
    private static func isPanorama(_ chain: [AlikePhoto]) -> Bool {
        guard chain.count >= 3, chain.allSatisfy({ $0.exposure.mode == 1 }) else { return false }
        guard Set(chain.map(\.exposure.seconds)).count == 1, Set(chain.map(\.exposure.aperture)).count == 1 else {
            return false
        }
        return zip(chain, chain.dropFirst()).allSatisfy { before, after in
            before.features.hash64.distance(to: after.features.hash64) > 10
        }
    }
}
