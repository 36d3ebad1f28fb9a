import type { health as english } from '../en/health.ts'
import type { Translation } from '../translation.ts'

export const health: Translation<typeof english> = {
  more: (count) => `${count.toLocaleString('de')} weitere`,
}
