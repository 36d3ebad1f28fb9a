import type { PushPiece } from './batch/push.ts'

/** What is to be stored of a push. */
export interface PushRow {
  organization: number
  serverId: string
  /** SHA-256 of the secret that the push came with. */
  credential: Buffer
  /** Empty when the request named none. */
  bootId: string
  piece: PushPiece
}

/** What the statement made of a row: `refused` is a dead credential or a server that is gone, `new_boot` another boot than the known one. */
export type RowResult = 'stored' | 'duplicate' | 'refused' | 'new_boot'
