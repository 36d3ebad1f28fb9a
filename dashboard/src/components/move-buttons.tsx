import { IconButton } from './button.tsx'
import { ArrowDown, ArrowUp } from './icons.tsx'

interface Props {
  /** What the buttons are called. */
  up: string
  down: string
  index: number
  count: number
  onMove: (by: -1 | 1) => void
}

/** Moves a row of a form. */
export function MoveButtons({ up, down, index, count, onMove }: Props) {
  return (
    <>
      <IconButton label={up} disabled={index === 0} onClick={() => onMove(-1)} className="disabled:opacity-40">
        <ArrowUp size={16} />
      </IconButton>
      <IconButton label={down} disabled={index === count - 1} onClick={() => onMove(1)} className="disabled:opacity-40">
        <ArrowDown size={16} />
      </IconButton>
    </>
  )
}
