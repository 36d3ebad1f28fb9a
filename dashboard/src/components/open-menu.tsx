import { ControlledMenu, MenuDivider, MenuItem as LibraryItem, MenuRadioGroup, type MenuCloseEvent } from '@szhsin/react-menu'
import type { ReactNode, RefObject } from 'react'
import { Check } from './icons.tsx'

const FIRST = { position: 'first', alwaysUpdate: true } as const

/** `hover` is also the item that the arrow keys chose: it has the focus. */
const itemClass =
  (more: string) =>
  ({ hover = false, disabled = false }) =>
    `flex min-h-9 cursor-pointer select-none items-center gap-2.5 rounded-md px-2.5 text-text outline-none ${hover && !disabled ? 'bg-hover' : ''} ${disabled ? 'opacity-50' : ''} ${more}`

export interface OpenMenuProps {
  /** The id of the button. */
  labelledBy: string
  button: RefObject<HTMLButtonElement | null>
  /** The keyboard starts at the first item, a pointer at none. */
  openedBy: 'keyboard' | 'pointer'
  align: 'start' | 'end'
  onClose: () => void
  children: ReactNode
}

/** Else the menu stands below all of the page and moves away when the page grows. */
const AT_TOP = { style: { top: 0, left: 0 } }

/** The library waits 100 ms before it takes the focus, and keys pressed in that time would reach the button. */
const takeFocus = (menu: HTMLElement | null) => menu?.focus({ preventScroll: true })

export function OpenMenu({ labelledBy, button, openedBy, align, onClose, children }: OpenMenuProps) {
  const close = ({ reason }: MenuCloseEvent) => {
    onClose()
    if (reason !== 'blur') button.current?.focus()
  }
  return (
    <ControlledMenu
      ref={takeFocus}
      state="open"
      menuItemFocus={openedBy === 'keyboard' ? FIRST : {}}
      anchorRef={button as RefObject<HTMLButtonElement>}
      onClose={close}
      aria-labelledby={labelledBy}
      portal
      containerProps={AT_TOP}
      align={align}
      gap={6}
      overflow="auto"
      boundingBoxPadding="8"
      menuClassName="z-30 min-w-52 rounded-xl border border-line bg-raised p-1.5 shadow-lift outline-none"
    >
      {children}
    </ControlledMenu>
  )
}

export interface ItemProps {
  onSelect: () => void
  danger?: boolean
  disabled?: boolean
  children: ReactNode
}

export function MenuItem({ onSelect, danger = false, disabled = false, children }: ItemProps) {
  return (
    <LibraryItem onClick={onSelect} disabled={disabled} className={itemClass(danger ? 'text-bad' : '')}>
      {children}
    </LibraryItem>
  )
}

export interface ChoiceProps<Value extends string> {
  label: string
  value: Value
  options: readonly { value: Value; label: string }[]
  onChoose: (value: Value) => void
}

/** A choice of one; the current one is marked. */
export function MenuChoice<Value extends string>({ label, value, options, onChoose }: ChoiceProps<Value>) {
  return (
    <MenuRadioGroup aria-label={label} value={value} onRadioChange={({ value: chosen }) => onChoose(chosen as Value)}>
      <li role="none" className="px-2.5 pt-1.5 pb-1 text-[0.86rem] text-muted">
        {label}
      </li>
      {options.map((option) => (
        <LibraryItem key={option.value} type="radio" value={option.value} className={itemClass('justify-between')}>
          <span className="truncate">{option.label}</span>
          {option.value === value && <Check size={15} className="text-accent" />}
        </LibraryItem>
      ))}
    </MenuRadioGroup>
  )
}

export const MenuLine = () => <MenuDivider className="my-1.5 h-px bg-line" />
