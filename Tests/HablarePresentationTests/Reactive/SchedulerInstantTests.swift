import HablarePresentation
import Testing

@Suite struct SchedulerInstantTests {
    private typealias Stride = SchedulerInstant.Stride

    @Test("Units have the right number of nanoseconds")
    func units() {
        #expect(Stride.seconds(2).nanoseconds == 2_000_000_000)
        #expect(Stride.seconds(0.5).nanoseconds == 500_000_000)
        #expect(Stride.milliseconds(3).nanoseconds == 3_000_000)
        #expect(Stride.microseconds(3).nanoseconds == 3_000)
        #expect(Stride.nanoseconds(3).nanoseconds == 3)
        #expect(
            ReactiveInterval.allCases.map { (interval) -> Stride in interval.time() }
                == [500, 100, 300, 5_000, 2_000].map(Stride.milliseconds))
    }

    @Test("Overflows are clamped, and NaN is zero")
    func ends() {
        #expect(Stride.seconds(Int.max).nanoseconds == .max)
        #expect(Stride.seconds(Int.min).nanoseconds == .min)
        #expect(Stride.seconds(1e300).nanoseconds == .max)
        #expect(Stride.seconds(-Double.infinity).nanoseconds == .min)
        #expect(Stride.seconds(Double.nan).nanoseconds == 0)
        let last = SchedulerInstant(nanoseconds: .max)
        #expect(last.advanced(by: .seconds(1)) == last)
        #expect(SchedulerInstant(nanoseconds: .min).distance(to: last).nanoseconds == .max)
        #expect((-Stride(nanoseconds: .min)).nanoseconds == .max)
        #expect(Stride(nanoseconds: .min).magnitude.nanoseconds == .max)
    }
}
