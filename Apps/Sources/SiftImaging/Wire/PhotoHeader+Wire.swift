import SiftCore

extension WireWriter {
    mutating func write(_ header: PhotoHeader) {
        write(header.format)
        for number in [header.width, header.height, header.orientation, header.pages] { write(Int64(number)) }
        write(Int64(header.predictedBytes))
        write(Int64(header.predictedReducedBytes))
        write(header.hasEmbeddedThumbnail)
        write(header.camera) { $0.write($1) }
        write(header.captured) {
            $0.write($1.localSeconds)
            $0.write($1.hasSubseconds)
            $0.write($1.offsetFromUTC) { $0.write(Int64($1)) }
        }
        let exposure = header.exposure
        for value in [
            exposure.seconds, exposure.aperture, exposure.bias, exposure.focalLength, exposure.subjectDistance,
        ] {
            write(value) { $0.write($1) }
        }
        for value in [exposure.sensitivity, exposure.mode] { write(value) { $0.write(Int64($1)) } }
    }
}

extension WireReader {
    mutating func header() throws(WireViolation) -> PhotoHeader {
        let format = try text()
        let width = try count(1...Int(Int32.max))
        let height = try count(1...Int(Int32.max))
        let orientation = try count(1...8)
        let pages = try count(1...Int(Int32.max))
        let predicted = try count(0...Int.max)
        let reduced = try count(0...Int.max)
        let hasThumbnail = try bool()
        let camera = try optional { reader throws(WireViolation) in try reader.text() }
        let captured = try optional { reader throws(WireViolation) in try reader.captureTime() }
        var exposure = PhotoExposure()
        exposure.seconds = try optionalNumber()
        exposure.aperture = try optionalNumber()
        exposure.bias = try optionalNumber()
        exposure.focalLength = try optionalNumber()
        exposure.subjectDistance = try optionalNumber()
        exposure.sensitivity = try optional { reader throws(WireViolation) in try reader.count(Int.min...Int.max) }
        exposure.mode = try optional { reader throws(WireViolation) in try reader.count(Int.min...Int.max) }
        return PhotoHeader(
            format: format, width: width, height: height, orientation: orientation, captured: captured, camera: camera,
            exposure: exposure, hasEmbeddedThumbnail: hasThumbnail, pages: pages, predictedBytes: predicted,
            predictedReducedBytes: reduced)
    }

    private mutating func count(_ range: ClosedRange<Int>) throws(WireViolation) -> Int {
        let value = Int(try integer(Int64.self))
        guard range.contains(value) else { throw WireViolation(what: "a number is outside its range") }
        return value
    }

    private mutating func optionalNumber() throws(WireViolation) -> Double? {
        let value = try optional { reader throws(WireViolation) in try reader.double() }
        if let value, !value.isFinite { throw WireViolation(what: "a number is not finite") }
        return value
    }

    private mutating func captureTime() throws(WireViolation) -> CaptureTime {
        let seconds = try double()
        // From the year 0 to the year 10,000.
        guard seconds >= -62_200_000_000, seconds <= 253_500_000_000 else {
            throw WireViolation(what: "a time is outside its range")
        }
        let hasSubseconds = try bool()
        let offset = try optional { reader throws(WireViolation) in try reader.count(-86_400...86_400) }
        return CaptureTime(localSeconds: seconds, hasSubseconds: hasSubseconds, offsetFromUTC: offset)
    }
}
