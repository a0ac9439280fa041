/// Sets of numbers that are joined step by step (union by size, path halving).
struct DisjointSets {
    private var parents: [Int32]
    private var sizes: [Int32]

    /// Creates sets of one number each.
    init(_ count: Int) {
        parents = (0..<count).map { Int32($0) }
        sizes = [Int32](repeating: 1, count: count)
    }

    /// Returns the number that stands for a number's set.
    mutating func root(_ number: Int32) -> Int32 {
        var number = number
        while parents[Int(number)] != number {
            parents[Int(number)] = parents[Int(parents[Int(number)])]
            number = parents[Int(number)]
        }
        return number
    }

    /// Joins the sets of two numbers.
    mutating func join(_ first: Int, _ second: Int) {
        var (large, small) = (Int(root(Int32(first))), Int(root(Int32(second))))
        guard large != small else { return }
        if sizes[large] < sizes[small] { swap(&large, &small) }
        parents[small] = Int32(large)
        sizes[large] += sizes[small]
    }

    /// Returns the sets of two or more numbers, each sorted, in the order of their first numbers.
    mutating func groups() -> [[Int]] {
        var members: [Int: [Int]] = [:]
        for number in parents.indices {
            let root = Int(root(Int32(number)))
            if sizes[root] > 1 { members[root, default: []].append(number) }
        }
        return members.values.sorted { $0[0] < $1[0] }
    }
}
