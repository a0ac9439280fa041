import SiftCore

/// The content of an EXIF block: time, camera, exposure, and the place of the thumbnail.
struct EXIFBlock {
    /// A range of bytes in the block.
    struct Place: Hashable {
        let offset: Int
        let count: Int
    }

    var orientation = 1
    var captured: CaptureTime?
    var camera: String?
    var exposure = PhotoExposure()
    /// Where the JPEG thumbnail lies, from the start of the TIFF header.
    var thumbnail: Place?

    /// Creates a block that says nothing.
    init() {}

    /// Reads a block that begins with the TIFF header. Unreadable parts are left out.
    init<Bytes: RandomAccessBytes>(_ bytes: Bytes) {
        guard var reader = TIFFReader(bytes), let first = reader.directory(at: reader.firstDirectory) else { return }
        read(first, &reader)
        if first.next != 0, let second = reader.directory(at: first.next) {
            thumbnail = Self.thumbnail(in: second, of: bytes)
        }
    }

    /// Reads the first directory, and the one of the exposure that it names.
    mutating func read<Bytes>(_ first: TIFFDirectory, _ reader: inout TIFFReader<Bytes>) {
        if let turn = first.integer(Tag.orientation), (1...8).contains(turn) { orientation = turn }
        camera = Self.camera(maker: first.text(Tag.maker), model: first.text(Tag.model))
        guard let offset = first.integer(Tag.exifDirectory), let details = reader.directory(at: offset) else {
            captured = first.text(Tag.dateTime).flatMap { Self.time($0, subseconds: nil, offset: nil) }
            return
        }
        let original = details.text(Tag.dateTimeOriginal).flatMap {
            Self.time($0, subseconds: details.text(Tag.subsecondsOriginal), offset: details.text(Tag.offsetOriginal))
        }
        captured =
            original
            ?? details.text(Tag.dateTimeDigitized).flatMap {
                Self.time($0, subseconds: details.text(Tag.subsecondsDigitized), offset: nil)
            } ?? first.text(Tag.dateTime).flatMap { Self.time($0, subseconds: nil, offset: nil) }
        exposure = PhotoExposure(
            seconds: details.fraction(Tag.exposureTime).flatMap(Self.positive),
            aperture: details.fraction(Tag.aperture).flatMap(Self.positive),
            sensitivity: details.integer(Tag.sensitivity).flatMap { $0 > 0 ? $0 : nil },
            bias: details.fraction(Tag.exposureBias), mode: details.integer(Tag.exposureMode),
            focalLength: details.fraction(Tag.focalLength).flatMap(Self.positive),
            subjectDistance: details.fraction(Tag.subjectDistance).flatMap(Self.positive))
    }

    private static func positive(_ value: Double) -> Double? { value > 0 ? value : nil }

    private static func thumbnail(in directory: TIFFDirectory, of bytes: some RandomAccessBytes) -> Place? {
        guard let offset = directory.integer(Tag.jpegOffset), let count = directory.integer(Tag.jpegLength),
            count >= 4, bytes.contains(offset, count)
        else { return nil }
        return Place(offset: offset, count: count)
    }

    /// Returns maker and model without saying the maker twice ("Canon", "Canon EOS R6").
    static func camera(maker: String?, model: String?) -> String? {
        guard let model else { return maker }
        guard let maker else { return model }
        let brand = maker.split(separator: " ").first.map { $0.lowercased() } ?? ""
        return model.lowercased().hasPrefix(brand) ? model : "\(maker) \(model)"
    }

    /// Returns the time of a text like `2024:05:17 18:03:59`, or nil for another text and for an impossible time. The
    /// digits of the sub-seconds follow the decimal point; the offset is a text like `+02:00`.
    static func time(_ text: String, subseconds: String?, offset: String?) -> CaptureTime? {
        let parts = text.utf8.split(whereSeparator: { $0 == 0x3A || $0 == 0x20 || $0 == 0x2D || $0 == 0x54 })
        guard parts.count >= 6 else { return nil }
        let numbers = parts.prefix(6).map { digits($0) }
        guard let year = numbers[0], let month = numbers[1], let day = numbers[2], let hour = numbers[3],
            let minute = numbers[4], let second = numbers[5], (1800...9999).contains(year), (1...12).contains(month),
            (1...daysOfMonth(month, year)).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        let whole = Double(days) * 86_400 + Double(hour * 3_600 + minute * 60 + second)
        let tail = subseconds.flatMap { digitsOnly($0) }
        let fraction = tail.flatMap { Double("0.\($0)") }
        return CaptureTime(
            localSeconds: whole + (fraction ?? 0), hasSubseconds: fraction != nil, offsetFromUTC: offset.flatMap(zone))
    }

    private static func digitsOnly(_ text: String) -> String? {
        let digits = text.utf8.prefix { (0x30...0x39).contains($0) }.prefix(9)
        return digits.isEmpty ? nil : String(decoding: Array(digits), as: UTF8.self)
    }

    private static func digits(_ text: Substring.UTF8View) -> Int? {
        guard (1...4).contains(text.count), text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func zone(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 6, bytes[3] == 0x3A, bytes[0] == 0x2B || bytes[0] == 0x2D else { return nil }
        let places = [1, 2, 4, 5]
        guard places.allSatisfy({ (0x30...0x39).contains(bytes[$0]) }) else { return nil }
        let numbers = places.map { Int(bytes[$0] - 0x30) }
        let seconds = (numbers[0] * 10 + numbers[1]) * 3_600 + (numbers[2] * 10 + numbers[3]) * 60
        guard seconds <= 14 * 3_600 else { return nil }
        return bytes[0] == 0x2D ? -seconds : seconds
    }

    private static func daysOfMonth(_ month: Int, _ year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// Days of the proleptic Gregorian calendar, counted in years that begin in March.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The tags that are read.
    enum Tag {
        static let maker = 0x010F
        static let model = 0x0110
        static let orientation = 0x0112
        static let dateTime = 0x0132
        static let exifDirectory = 0x8769
        static let exposureTime = 0x829A
        static let aperture = 0x829D
        static let sensitivity = 0x8827
        static let dateTimeOriginal = 0x9003
        static let dateTimeDigitized = 0x9004
        static let offsetOriginal = 0x9011
        static let exposureBias = 0x9204
        static let subjectDistance = 0x9206
        static let focalLength = 0x920A
        static let subsecondsOriginal = 0x9291
        static let subsecondsDigitized = 0x9292
        static let exposureMode = 0xA402
        static let jpegOffset = 0x0201
        static let jpegLength = 0x0202
    }
}
