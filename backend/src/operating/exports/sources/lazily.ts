/** What is made when it is wanted, and not kept. */
export const lazily = <Item>(make: () => Iterable<Item>): Iterable<Item> => ({
  [Symbol.iterator]: () => make()[Symbol.iterator](),
})
