import "./style.css";
import { App } from "./app";
import { readPage } from "./data/page";

declare global {
  interface Window {
    marrow?: App;
  }
}

const root = document.getElementById("app") as HTMLElement;
try {
  window.marrow = new App(await readPage(), root);
} catch (error) {
  const message = document.createElement("p");
  message.className = "failure";
  message.setAttribute("role", "alert");
  message.textContent = error instanceof Error ? error.message : String(error);
  root.replaceChildren(message);
  throw error;
}
