//! Who counts: never told a number by its maker, and not needed for the end of what was counted.

use tablewright::{Error, Versioned};

use crate::corners::{
    Author, AuthorKey, Book, BookKey, Corners, MoveInInput, Place, PlaceKey, ShelfKey, corners,
    shelf,
};
use crate::support::Place as Somewhere;

fn book(name: &str) -> Book {
    Book {
        shelf: "s".to_owned(),
        author: "a".to_owned(),
        book: name.to_owned(),
    }
}

fn author() -> Author {
    Author {
        author: "a".to_owned(),
        name: "Ada".to_owned(),
        written: 0,
    }
}

/// Books whose author is still there, and whose shelf is gone.
async fn orphans(names: &[&str]) -> (Somewhere, Corners, Vec<Versioned<Book>>) {
    let (place, corners) = corners().await;
    corners.authors.items().insert(author()).await.unwrap();
    corners.shelfs.items().insert(shelf(0)).await.unwrap();
    let mut books = Vec::new();
    for name in names {
        books.push(corners.books.items().insert(book(name)).await.unwrap());
    }
    let shelf = ShelfKey::new("s");
    let gone = corners.shelfs.items().delete_now(&shelf).await.unwrap();
    assert_eq!(gone.books, i64::try_from(names.len()).unwrap());
    (place, corners, books)
}

async fn written(corners: &Corners) -> i64 {
    let key = AuthorKey::new("a");
    let author = corners.authors.items().read_strong(&key).await.unwrap();
    author.unwrap().written
}

#[tokio::test]
async fn what_was_counted_ends_without_the_keeper_that_is_gone() {
    let (_place, corners, books) = orphans(&["p", "q", "r"]).await;
    let key = BookKey::new("s", "a", "p");
    corners.books.items().delete_now(&key).await.unwrap();
    assert_eq!(written(&corners).await, 2, "who is there goes on counting");
    corners.books.items().delete(&books[1]).await.unwrap();
    assert_eq!(written(&corners).await, 1);
    let place = Place {
        room: "r".to_owned(),
        place: "x".to_owned(),
        holder: "Ada".to_owned(),
        ttl: None,
    };
    corners.places.items().insert(place).await.unwrap();
    let (book, place) = (BookKey::new("s", "a", "r"), PlaceKey::new("r", "x"));
    corners.discard(&book, &place).await.unwrap();
    assert_eq!(written(&corners).await, 0);
    let left = corners.books.books("s").count().await.unwrap();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn all_that_is_found_ends_without_the_keeper_that_is_gone() {
    let (_place, corners, _) = orphans(&["p", "q", "r"]).await;
    assert_eq!(corners.books.remove_books("s").await.unwrap(), 3);
    assert_eq!(corners.books.books("s").count().await.unwrap(), 0);
    assert_eq!(written(&corners).await, 0);
    let nowhere = corners.books.items().insert(book("new")).await;
    let missing = Error::NotFound {
        entity: "Shelf".to_owned(),
    };
    assert_eq!(nowhere.map(drop), Err(missing), "nothing begins uncounted");
}

#[tokio::test]
async fn a_new_keeper_has_counted_nothing_whatever_it_says() {
    let (_place, corners) = corners().await;
    corners.authors.items().insert(author()).await.unwrap();
    let made = corners.shelfs.items().insert(shelf(7)).await.unwrap();
    assert_eq!(made.books, 0);
    let key = ShelfKey::new("s");
    let books = async || {
        let shelf = corners.shelfs.items().read_strong(&key).await.unwrap();
        shelf.unwrap().books
    };
    assert_eq!(books().await, 0);
    corners.books.items().insert(book("p")).await.unwrap();
    assert_eq!(books().await, 1);
    corners
        .shelfs
        .items()
        .update(&key, |shelf| shelf.books = 7)
        .await
        .unwrap();
    assert_eq!(books().await, 1);
    corners.shelfs.items().delete_now(&key).await.unwrap();
    let input = MoveInInput {
        shelf: shelf(7),
        book: book("q"),
    };
    corners.move_in(&input).await.unwrap();
    assert_eq!(books().await, 1);
}
