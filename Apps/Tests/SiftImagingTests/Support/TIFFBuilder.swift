@testable import SiftImaging

/// Builds TIFF files with directories and embedded JPEGs, in either byte order.
struct TIFFBuilder {
    /// A value of an entry.
    enum Value {
        case short([Int])
        case long([Int])
        case text(String)
        /// The offset and the length of a JPEG that is appended become the values of this tag and the next one.
        case jpeg([UInt8], lengthTag: Int)
        /// The offset of another directory.
        case directory([(Int, Value)])
    }

    var isLittleEndian = true
    private var bytes: [UInt8] = []

    init(isLittleEndian: Bool = true) { self.isLittleEndian = isLittleEndian }

    /// Returns a file with a chain of directories. `mark` is put behind the header (CR2 has `CR` there).
    mutating func file(_ directories: [[(Int, Value)]], mark: [UInt8] = []) -> [UInt8] {
        bytes = (isLittleEndian ? [0x49, 0x49] : [0x4D, 0x4D]) + number(42, 2) + number(0, 4) + mark
        var link = 4
        for directory in directories {
            if bytes.count % 2 == 1 { bytes.append(0) }
            let (offset, next) = append(directory)
            bytes.replaceSubrange(link..<link + 4, with: number(offset, 4))
            link = next
        }
        return bytes
    }

    private mutating func append(_ entries: [(Int, Value)]) -> (offset: Int, next: Int) {
        var lines: [(tag: Int, type: Int, count: Int, body: [UInt8])] = []
        for (tag, value) in entries {
            switch value {
            case .short(let numbers): lines.append((tag, 3, numbers.count, numbers.flatMap { number($0, 2) }))
            case .long(let numbers): lines.append((tag, 4, numbers.count, numbers.flatMap { number($0, 4) }))
            case .text(let text): lines.append((tag, 2, text.utf8.count + 1, Array(text.utf8) + [0]))
            case .jpeg(let jpeg, let lengthTag):
                lines.append((tag, 4, 1, number(bytes.count, 4)))
                lines.append((lengthTag, 4, 1, number(jpeg.count, 4)))
                bytes += jpeg
                if bytes.count % 2 == 1 { bytes.append(0) }
            case .directory(let inner): lines.append((tag, 4, 1, number(append(inner).offset, 4)))
            }
        }
        let bodies = lines.map { line -> [UInt8] in
            guard line.body.count > 4 else { return line.body + [UInt8](repeating: 0, count: 4 - line.body.count) }
            let offset = bytes.count
            bytes += line.body
            if bytes.count % 2 == 1 { bytes.append(0) }
            return number(offset, 4)
        }
        let offset = bytes.count
        bytes += number(lines.count, 2)
        for (line, body) in zip(lines, bodies) {
            bytes += number(line.tag, 2) + number(line.type, 2) + number(line.count, 4) + body
        }
        bytes += number(0, 4)
        return (offset, bytes.count - 4)
    }

    private func number(_ value: Int, _ size: Int) -> [UInt8] {
        let little = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isLittleEndian ? little : little.reversed()
    }
}
