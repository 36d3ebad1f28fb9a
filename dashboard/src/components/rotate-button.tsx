import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Confirm } from './dialog.tsx'

interface Props<Rotated> {
  texts: { rotate: string; rotateTitle: string; rotateLead: string }
  /** Replaces the secret; undefined where the answer does not show it. */
  onRotate: () => Promise<Rotated | undefined>
  /** Shows what the answer has, once. */
  children: (rotated: Rotated, close: () => void) => ReactNode
}

/** Replaces a secret after a question. */
export function RotateButton<Rotated>({ texts, onRotate, children }: Props<Rotated>) {
  const [isOpen, setOpen] = useState(false)
  const [rotated, setRotated] = useState<Rotated>()
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        {texts.rotate}
      </Button>
      <Confirm
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={texts.rotateTitle}
        description={texts.rotateLead}
        action={texts.rotate}
        onConfirm={async () => setRotated(await onRotate())}
      />
      {rotated !== undefined && children(rotated, () => setRotated(undefined))}
    </>
  )
}
