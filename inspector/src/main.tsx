/** Begins the page. */
import { render } from "preact";
import { App } from "./app";
import { start } from "./store";
import "./style.css";

const page = document.getElementById("page") as HTMLElement;
page.replaceChildren();
render(<App />, page);
void start();
