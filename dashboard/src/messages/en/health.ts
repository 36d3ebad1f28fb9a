export const health = {
  more: (count: number) => `${count.toLocaleString('en')} more`,
}
