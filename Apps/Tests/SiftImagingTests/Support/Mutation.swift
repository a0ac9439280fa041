/// Damages files as disks, networks and attackers do.
enum Mutation {
    /// Returns the bytes with one to eight changes: bytes flipped, set, cut off, doubled, or filled.
    static func damage(_ bytes: [UInt8], _ numbers: inout SeededNumbers) -> [UInt8] {
        var damaged = bytes
        for _ in 0..<Int.random(in: 1...8, using: &numbers) {
            guard !damaged.isEmpty else { break }
            // Headers decide more than pixels, so half of the changes fall into the first 512 bytes.
            let reach = Bool.random(using: &numbers) ? min(512, damaged.count) : damaged.count
            let place = Int.random(in: 0..<reach, using: &numbers)
            let run = min(Int.random(in: 1...64, using: &numbers), damaged.count - place)
            switch Int.random(in: 0..<6, using: &numbers) {
            case 0: damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
            case 1: damaged[place] = UInt8.random(in: 0...255, using: &numbers)
            case 2: damaged[place] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &numbers) ?? 0
            case 3: damaged.removeSubrange(place..<place + run)
            case 4: damaged.insert(contentsOf: damaged[place..<place + run], at: place)
            default: damaged.removeLast(Int.random(in: 0..<damaged.count, using: &numbers) / 4)
            }
        }
        return damaged
    }
}
