export function Brand() {
  return (
    <p className="brand">
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M12 22V9m0 6c-5 0-7-3-7-7 4 0 7 2 7 7Zm0-5c0-5 2-8 7-8 0 5-2 8-7 8Z" />
      </svg>
      Fernway
    </p>
  );
}
