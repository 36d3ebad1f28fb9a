/** Stands for a secret that is not shown; sent back, it leaves the secret as it was. */
export const MASK = '•••'
